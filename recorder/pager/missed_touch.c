// SPDX-License-Identifier: GPL-2.0-or-later
/* missed_touch.c - the last pages that were noted, in a ring. */
#include "missed_touch.h"

#include "cluster.h"
#include "image/image.h"
#include "thread/thread.h"

#define PAGES 64u

static size_t noted[PAGES];
static unsigned int count;	/* ever noted */

void rec_missed_touch_note(size_t first, uint64_t set)
{
	if (!set || !rec_threads.inlined)
		return;
	for (; set; set &= set - 1)
		noted[count++ % PAGES] = first + rec_bits_lowest(set);
	rec_image_wake_server();
}

bool rec_missed_touch_is_noted(size_t page)
{
	unsigned int n = count < PAGES ? count : PAGES;

	for (unsigned int i = 0; i < n; i++)
		if (noted[i] == page)
			return true;
	return false;
}

void rec_missed_touch_forget(void)
{
	count = 0;
}
