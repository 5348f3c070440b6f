# SPDX-License-Identifier: GPL-2.0-or-later
# Guests: build the module for their kernels, run live tests, start a shell.

KERNELS    := 6.1 6.12 7.3
# Those whose headers and compiler are packages of this machine's suite (tests/vm/kernels.txt).
HOST_KERNELS = $(filter $(KERNELS),$(shell tests/vm/table | awk '$$4 == "host" { print $$1 }'))
# Kernels that get a quick pass in make check. make matrix runs more tests on them.
QUICK      := 5.10 6.12-rt 7.3-rt 7.3-arm64
KMOD_SRC   := $(wildcard Kbuild kmod/compat/probe.sh kmod/*.[ch] kmod/*/*.[ch] kmod/*/*/*.[ch] \
	kmod/*/*/*/*.[ch] include/uapi/linux/*.h)
KERNEL     ?= 6.12
VM          = FLT_BUILD=$(abspath $(O)) tests/vm

# Only guests of x86-64 have this counter.
$(O)/workload/tsckhz: $(O)/tests/vm/tsckhz.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^
ALL += $(if $(X86),$(O)/workload/tsckhz)

# kbuild does not touch flt.ko if no source changed, so a stamp records the build.
$(O)/kmod-%/.built: $(KMOD_SRC) tests/vm/kmod tests/vm/kernel tests/vm/table tests/vm/kernels.txt
	@mkdir -p $(@D)
	$(VM)/kmod $* >$(@D)/build.log 2>&1 || { cat $(@D)/build.log; rm -f $@; exit 1; }
	@touch $@
.PRECIOUS: $(O)/kmod-%/.built

## make kmod                build flt.ko for the guests' kernels
.PHONY: kmod
kmod: $(patsubst %,$(O)/kmod-%/.built,$(KERNELS) $(QUICK))

## make check-guest         live tests in guests: on 6.1, 6.12 and 7.3 in turns; some on all, 5.10, RT and arm64 (LIVE="name ...", STRICT=1)
.PHONY: check-guest
check-guest: all kmod $(KERNELS:%=$(O)/kmod-%-stub/.built) \
		$(if $(findstring arm64,$(QUICK)),guest-programs-arm64)
	$(VM)/check $(if $(LIVE),$(LIVE),$(QUICK:%=-q %))

CHECK_NATIVE += check-matrix
CHECK_LONG += check-runner
.PHONY: check-matrix check-runner check-guest-long check-guest-debug check-kprobe
check-matrix:
	$(VM)/selftest/matrix

check-runner:
	$(VM)/selftest/check
	$(VM)/selftest/matrix-new

check-guest-long: all kmod $(KERNELS:%=$(O)/kmod-%-stub/.built)
	$(VM)/check -l $(LIVE)

# On the debug kernel tests run at their everyday size, because every step takes twenty
# times as long there.
check-guest-debug: all $(O)/kmod-debug/.built $(O)/kmod-debug-stub/.built
	$(VM)/check -j 1 -k debug $(LIVE)

# Limits of memory on arm64, with pages of 4 and of 16 KiB. make matrix tests the module there.
ARM64 := 6.12-arm64 7.3-arm64 7.3-arm64-16k
.PHONY: check-guest-arm64
check-guest-arm64: guest-programs-arm64 $(ARM64:%=$(O)/kmod-%/.built)
	$(VM)/check $(ARM64:%=-k %) record record_cgroup recorder recorder_cases recorder_guard

# Faults are counted by a kprobe if ftrace cannot call the module.
CHECK_LONG += check-kprobe
check-kprobe: all $(O)/kmod-6.1-kprobe/.built $(O)/kmod-6.12-kprobe/.built
	for k in 6.1 6.12; do \
		$(VM)/run -k $$k -d 256 -z -t 600 env FLT_KO=$(abspath $(O))/kmod-$$k-kprobe/flt.ko \
			bash -c 'bash tests/live/equality.sh && bash tests/live/modes.sh' || exit; \
	done

## make check-huge          long tests at their greatest size, which take hours (LIVE="name ...")
.PHONY: check-huge
check-huge: all kmod
	$(VM)/check -L $(if $(LIVE),$(LIVE),$(error missing LIVE="name ..." of long tests))

## make check-long          what make check leaves out: long tests, the debug kernel
check-long: all kmod guest-programs-arm64 \
		$(patsubst %,$(O)/kmod-%/.built,$(ARM64) debug) \
		$(patsubst %,$(O)/kmod-%-stub/.built,$(KERNELS) debug)
	@FLT_BUILD=$(abspath $(O)) MAKE='$(MAKE)' LIMIT=7200 scripts/check $(CHECK_LONG) \
		check-guest-long check-guest-debug check-guest-arm64

## make guest-programs-arm64  build fltctl and the programs of the tests for guests of arm64
.PHONY: guest-programs-arm64
guest-programs-arm64:
	$(VM)/programs "$$($(VM)/suite)" arm64

## make vm-shell            a shell in a guest (KERNEL=6.1|6.12|debug; Ctrl-a x leaves)
.PHONY: vm-shell
vm-shell: all $(O)/kmod-$(KERNEL)/.built $(if $(findstring arm64,$(KERNEL)),guest-programs-arm64)
	$(VM)/run -k $(KERNEL) -s

## make matrix              live tests on every kernel of tests/vm/kernels.txt (MATRIX="name ...")
.PHONY: matrix
matrix: all
	$(VM)/matrix $(MATRIX)

## make matrix-new          newer kernels in the archive: list and try them (LIST=1: only list; MATRIX="name ...")
.PHONY: matrix-new
matrix-new: $(if $(LIST),,all)
	$(VM)/matrix-new $(if $(LIST),-l) $(MATRIX)
