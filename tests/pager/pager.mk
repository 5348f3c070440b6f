# SPDX-License-Identifier: GPL-2.0-or-later
# libfltuffd: its examples, and a test that no page is lost.

$(O)/tests/pager/stores: tests/pager/stores.c $(FLTUFFD_SO)
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CSTD) $(OPT) $(WARN) -Iinclude -o $@ $< -L$(O) -lfltuffd \
		-Wl,-rpath,'$$ORIGIN/../..' -pthread

.PHONY: check-pager check-pager-long
check-pager: $(O)/tests/pager/stores $(FLTUFFD_EXAMPLES)
	timeout 120 $(O)/tests/pager/stores
	timeout 120 $(O)/lib/examples/record_access
	d=$$(mktemp -d) && timeout 120 $(O)/lib/examples/lazy_file 32 $$d; s=$$?; rm -rf $$d; exit $$s

## make check-pager-long    the lazy file example over 1 GiB
check-pager-long: check-pager
	d=$$(mktemp -d) && timeout 600 $(O)/lib/examples/lazy_file 1024 $$d; s=$$?; rm -rf $$d; exit $$s

CHECK_NATIVE += check-pager
CHECK_LONG += check-pager-long
