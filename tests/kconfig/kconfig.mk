# SPDX-License-Identifier: GPL-2.0-or-later
CHECK_NATIVE += check-kconfig
CHECK_LONG   += check-kconfig-long

## make check-kconfig       build flt.ko as for kernels without THP, NUMA, MEMCG and more
.PHONY: check-kconfig check-kconfig-long
check-kconfig:
	FLT_BUILD=$(abspath $(O)) tests/kconfig/check -q 6.12

check-kconfig-long: all
	FLT_BUILD=$(abspath $(O)) tests/kconfig/check -b $(KERNELS)
