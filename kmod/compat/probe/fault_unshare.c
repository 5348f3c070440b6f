// SPDX-License-Identifier: GPL-2.0-only
/* since 6.0: faults may unshare a page without writing */
#include <linux/mm.h>

int test = FAULT_FLAG_UNSHARE;
