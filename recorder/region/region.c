// SPDX-License-Identifier: GPL-2.0-or-later
/* region.c - the one region of this process. */
#include "region.h"

struct flt_region rec_region = { .uffd = -1, .memory = -1 };
struct rec_lock rec_pager_lock;

void rec_region_close(void)
{
	if (rec_region.uffd >= 0)
		sys1(SYS_close, rec_region.uffd);
	if (rec_region.memory >= 0)
		sys1(SYS_close, rec_region.memory);
	rec_region.uffd = rec_region.memory = -1;
}
