# SPDX-License-Identifier: GPL-2.0-or-later
# libfltuffd, static and shared, and its examples.

FLT_CORE := $(patsubst %.c,$(O)/%.o,$(wildcard lib/core/*.c))
FLTUFFD_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard lib/*.c)) $(FLT_CORE)
FLTUFFD_SO := $(O)/libfltuffd.so.0
FLTUFFD_EXAMPLES := $(patsubst lib/examples/%.c,$(O)/lib/examples/%,$(wildcard lib/examples/*.c))
CPPFLAGS_lib := -fPIC -Ilib
# libfltrec.so links the same objects: see recorder/recorder.mk for the reason of each flag.
CPPFLAGS_lib/core := -fPIC -fvisibility=hidden -fno-stack-protector

$(O)/libfltuffd.a: $(FLTUFFD_OBJS)
	@rm -f $@
	$(AR) rcs $@ $^

# The version script exports the functions of fltuffd.h only.
$(FLTUFFD_SO): $(FLTUFFD_OBJS) lib/fltuffd.map
	$(CC) -shared $(LDFLAGS) -Wl,-soname,libfltuffd.so.0 -Wl,--version-script,lib/fltuffd.map \
		-o $@ $(FLTUFFD_OBJS) -pthread
	ln -sf libfltuffd.so.0 $(O)/libfltuffd.so

$(O)/fltuffd.pc: lib/fltuffd.pc.in
	@mkdir -p $(@D)
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' $< > $@

# Linked with the shared library, so that a function missing in the version script is an error.
$(O)/lib/examples/%: lib/examples/%.c $(FLTUFFD_SO)
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CSTD) $(OPT) $(WARN) -Iinclude -o $@ $< -L$(O) -lfltuffd \
		-Wl,-rpath,'$$ORIGIN/../..' -pthread

PROGRAMS += $(O)/libfltuffd.a $(FLTUFFD_SO) $(O)/fltuffd.pc
ALL += $(FLTUFFD_EXAMPLES)

.PHONY: install-lib
install-lib: $(O)/libfltuffd.a $(FLTUFFD_SO) $(O)/fltuffd.pc
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/share/man/man3
	install -m 644 $(O)/libfltuffd.a $(FLTUFFD_SO) $(DESTDIR)$(LIBDIR)
	ln -sf libfltuffd.so.0 $(DESTDIR)$(LIBDIR)/libfltuffd.so
	install -m 644 include/fltuffd.h $(DESTDIR)$(PREFIX)/include
	install -m 644 $(O)/fltuffd.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 lib/fltuffd.3 $(DESTDIR)$(PREFIX)/share/man/man3
install: install-lib
