// SPDX-License-Identifier: GPL-2.0-only
/* since 6.4: faults may hold the lock of the VMA alone */
#include <linux/mm.h>

int test = FAULT_FLAG_VMA_LOCK;
