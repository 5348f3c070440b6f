# SPDX-License-Identifier: GPL-2.0-or-later
# Code that protoc-c makes from a schema. The sanitized library has objects of its own.

PERFETTO := $(O)/user/view/export/perfetto.pb-c
CPPFLAGS_user/view/export += -I$(O)/user/view/export

$(PERFETTO).c $(PERFETTO).h &: user/view/export/perfetto.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=$(<D) --c_out=$(@D) $<

$(PERFETTO).o: $(PERFETTO).c
	$(CC) $(CPPFLAGS) $(CPPFLAGS_user/view/export) $(CFLAGS) -c -o $@ $<

$(O)/san/user/view/export/perfetto.pb-c.o: $(PERFETTO).c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CPPFLAGS_user/view/export) $(CFLAGS) $(SAN_FLAGS) -c -o $@ $<

$(O)/user/view/export/perfetto.o $(O)/san/user/view/export/perfetto.o: $(PERFETTO).h
$(O)/libfltctl.a: $(PERFETTO).o
$(O)/san/libfltctl.a: $(O)/san/user/view/export/perfetto.pb-c.o
