# SPDX-License-Identifier: GPL-2.0-or-later
# Guests: build the module for their kernels, run live tests, start a shell.

KERNELS    := 6.1 6.12
# Kernels that get a quick pass in make check. make matrix runs more tests on them.
QUICK      := 5.10 7.3
KMOD_SRC   := $(wildcard Kbuild kmod/compat/probe.sh kmod/*.[ch] kmod/*/*.[ch] kmod/*/*/*.[ch] \
	kmod/*/*/*/*.[ch] include/uapi/linux/*.h)
KERNEL     ?= 6.12
VM          = FLT_BUILD=$(abspath $(O)) tests/vm

# kbuild does not touch flt.ko if no source changed, so a stamp records the build.
$(O)/kmod-%/.built: $(KMOD_SRC) tests/vm/kmod tests/vm/kernel tests/vm/kernels.txt
	@mkdir -p $(@D)
	$(VM)/kmod $* >$(@D)/build.log 2>&1 || { cat $(@D)/build.log; rm -f $@; exit 1; }
	@touch $@
.PRECIOUS: $(O)/kmod-%/.built

## make kmod                build flt.ko for the guests' kernels
.PHONY: kmod
kmod: $(patsubst %,$(O)/kmod-%/.built,$(KERNELS) $(QUICK))

## make check-guest         live tests in guests, 6.1 and 6.12 (LIVE="name ..." for some, STRICT=1), some on 5.10 and 7.3
.PHONY: check-guest
check-guest: all kmod $(KERNELS:%=$(O)/kmod-%-stub/.built)
	$(VM)/check $(if $(LIVE),$(LIVE),$(QUICK:%=-q %))

## make check-long          all live tests, the long ones too, and on the debug kernel
# On the debug kernel tests run at their everyday size, because every step takes twenty
# times as long there.
check-long: all kmod $(O)/kmod-debug/.built $(patsubst %,$(O)/kmod-%-stub/.built,$(KERNELS) debug)
	$(VM)/selftest/check
	$(VM)/check -l $(LIVE)
	$(VM)/check -k debug $(LIVE)

## make vm-shell            a shell in a guest (KERNEL=6.1|6.12|debug; Ctrl-a x leaves)
.PHONY: vm-shell
vm-shell: all $(O)/kmod-$(KERNEL)/.built
	$(VM)/run -k $(KERNEL) -s

## make matrix              live tests on every kernel of tests/vm/kernels.txt (MATRIX="name ...")
.PHONY: matrix
matrix: all
	$(VM)/matrix $(MATRIX)
