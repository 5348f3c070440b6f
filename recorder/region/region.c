// SPDX-License-Identifier: GPL-2.0-or-later
/* region.c - the one region of this process. */
#include "region.h"

struct flt_region rec_region = { .uffd = -1, .memory = -1 };
struct rec_lock rec_pager_lock;
