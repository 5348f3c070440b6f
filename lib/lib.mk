# SPDX-License-Identifier: GPL-2.0-or-later
# libfltuffd, static and shared, and its examples.

FLTUFFD_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard lib/*.c))
FLTUFFD_SO := $(O)/libfltuffd.so.0
FLTUFFD_EXAMPLES := $(patsubst lib/examples/%.c,$(O)/lib/examples/%,$(wildcard lib/examples/*.c))
CPPFLAGS_lib := -fPIC

$(O)/libfltuffd.a: $(FLTUFFD_OBJS)
	@rm -f $@
	$(AR) rcs $@ $^

# Only what the header names is exported.
$(FLTUFFD_SO): $(FLTUFFD_OBJS) lib/fltuffd.map
	$(CC) -shared -Wl,-soname,libfltuffd.so.0 -Wl,--version-script,lib/fltuffd.map \
		-o $@ $(FLTUFFD_OBJS) -pthread
	ln -sf libfltuffd.so.0 $(O)/libfltuffd.so

$(O)/fltuffd.pc: lib/fltuffd.pc.in
	@mkdir -p $(@D)
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' $< > $@

# Against the shared library: what the map forgets does not link.
$(O)/lib/examples/%: lib/examples/%.c $(FLTUFFD_SO)
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CSTD) $(OPT) $(WARN) -Iinclude -o $@ $< -L$(O) -lfltuffd \
		-Wl,-rpath,'$$ORIGIN/../..' -pthread

ALL += $(O)/libfltuffd.a $(FLTUFFD_SO) $(O)/fltuffd.pc $(FLTUFFD_EXAMPLES)

.PHONY: install-lib
install-lib: $(O)/libfltuffd.a $(FLTUFFD_SO) $(O)/fltuffd.pc
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/share/man/man3
	install -m 644 $(O)/libfltuffd.a $(FLTUFFD_SO) $(DESTDIR)$(PREFIX)/lib
	ln -sf libfltuffd.so.0 $(DESTDIR)$(PREFIX)/lib/libfltuffd.so
	install -m 644 include/fltuffd.h $(DESTDIR)$(PREFIX)/include
	install -m 644 $(O)/fltuffd.pc $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 lib/fltuffd.3 $(DESTDIR)$(PREFIX)/share/man/man3
install: install-lib
