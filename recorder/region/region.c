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

size_t rec_region_run(size_t first, size_t end)
{
	bool ejected = rec_page_is_ejected(first);
	enum page_state state = rec_page_state(first);
	size_t to = first + 1;

	while (to < end && (ejected ? rec_page_state(to) == state : !rec_page_is_ejected(to)))
		to++;
	return to;
}
