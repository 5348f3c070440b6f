// SPDX-License-Identifier: GPL-2.0-only
/* since 6.0: a fault may drop mmap_lock and end */
#include <linux/mm.h>

vm_fault_t test = VM_FAULT_COMPLETED;
