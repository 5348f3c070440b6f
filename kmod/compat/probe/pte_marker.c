// SPDX-License-Identifier: GPL-2.0-only
/* since 5.19: entries may be markers of userfaultfd */
#include <linux/mm.h>
#include <linux/swap.h>
#include <linux/swapops.h>

int test = PTE_MARKER_UFFD_WP;
