// SPDX-License-Identifier: GPL-2.0-only
/* handle_mm_fault() with the registers of the fault (Linux 5.9) */
#include <linux/mm.h>

vm_fault_t (*test)(struct vm_area_struct *, unsigned long, unsigned int,
		   struct pt_regs *) = &handle_mm_fault;
