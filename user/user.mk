# SPDX-License-Identifier: GPL-2.0-or-later
# fltctl. New files are found automatically; a new command also needs a row in
# cmd/commands.c. The unit tests link an archive with everything except main().

USER_DIRS := $(shell find user -type d)
USER_SRCS := $(filter-out user/main.c,$(wildcard $(addsuffix /*.c,$(USER_DIRS))))
USER_OBJS := $(USER_SRCS:%.c=$(O)/%.o)
USER_PKGS := libnl-3.0 libnl-genl-3.0 libzstd libxxhash libdw libelf libunwind-generic ncursesw zlib libmicrohttpd libprotobuf-c
USER_MISSING := $(shell for p in $(USER_PKGS); do $(PKG_CONFIG) --exists $$p || echo $$p; done; \
	command -v protoc-c)
USER_MISSING := $(filter-out %/protoc-c,$(USER_MISSING)) \
	$(if $(filter %/protoc-c,$(USER_MISSING)),,protoc-c)
USER_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(USER_PKGS)) -iquote user
USER_LIBS := $(shell $(PKG_CONFIG) --libs $(USER_PKGS)) -lm -lstdc++ -pthread

$(foreach d,$(USER_DIRS),$(eval CPPFLAGS_$(d) += $(USER_CFLAGS)))

# Name the missing packages before the compiler names a missing header.
.PHONY: user-packages
user-packages:
	@echo "missing: $(strip $(USER_MISSING)). Run scripts/setup (Debian 12 or 13), or install the" \
		"packages of scripts/packages*.txt" >&2; exit 1
$(USER_OBJS) $(O)/user/main.o: | $(if $(strip $(USER_MISSING)),user-packages)

FLTCTL := $(O)/fltctl
PROGRAMS += $(FLTCTL)

$(O)/libfltctl.a: $(USER_OBJS)
	@rm -f $@
	@# q: files of several folders have the same name
	$(AR) qcs $@ $^

$(FLTCTL): $(O)/user/main.o $(O)/libfltctl.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(USER_LIBS)
