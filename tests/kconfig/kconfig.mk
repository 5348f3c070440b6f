# SPDX-License-Identifier: GPL-2.0-or-later
CHECK_NATIVE += check-kconfig

## make check-kconfig       build flt.ko as for kernels without THP, NUMA or MEMCG, and for PREEMPT_RT
.PHONY: check-kconfig
check-kconfig:
	FLT_BUILD=$(abspath $(O)) tests/kconfig/check $(KERNELS)
