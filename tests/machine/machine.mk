# SPDX-License-Identifier: GPL-2.0-or-later
CHECK_LONG += check-machine

## make check-machine       suspend, kexec and memory hotplug, in guests of their own
.PHONY: check-machine
check-machine: all kmod $(O)/tests/machine/kexec
	FLT_BUILD=$(abspath $(O)) tests/machine/check $(KERNELS)

$(O)/tests/machine/kexec: $(O)/tests/machine/kexec.o
	$(CC) $(CFLAGS) -static -o $@ $^
