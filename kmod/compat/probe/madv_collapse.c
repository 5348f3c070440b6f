// SPDX-License-Identifier: GPL-2.0-only
/* since 6.1: collapse_file() returns its result, from the same patches as MADV_COLLAPSE */
#include <linux/mman.h>

int test = MADV_COLLAPSE;
