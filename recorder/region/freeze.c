// SPDX-License-Identifier: GPL-2.0-or-later
/* freeze.c - hold pages during a freeze, and end the freeze. */
#include "freeze.h"

#include "image/image.h"
#include "extent.h"
#include "region.h"
#include "shadow.h"

#include <linux/futex.h>
#include <time.h>

struct rec_freeze rec_freeze;

void rec_freeze_hold(size_t page)
{
	if (!rec_shadow.frozen || rec_region.state[page] & PAGE_HELD)
		return;
	rec_region.state[page] |= PAGE_HELD;
	rec_freeze.held++;
}

void rec_freeze_end(void)
{
	for (size_t i = 0; rec_freeze.held && i < rec_extent_end(); i++) {
		if (!(rec_region.state[i] & PAGE_HELD))
			continue;
		rec_freeze.held--;
		if (rec_region.state[i] & PAGE_SHADOWED)
			rec_shadow_drop(i, i + 1);
		rec_region.state[i] &= (uint8_t)~(PAGE_HELD | PAGE_SHADOWED);
	}
	rec_freeze.held = 0;
	rec_shadow.frozen = false;
	rec_freeze.ended++;
	sys3(SYS_futex, &rec_freeze.ended, FUTEX_WAKE_PRIVATE, 1 << 30);
}

void rec_freeze_wait(uint32_t seen)
{
	struct timespec t = { .tv_nsec = 2000000 };

	if (rec_image.filtered)
		return;
	sys4(SYS_futex, &rec_freeze.ended, FUTEX_WAIT_PRIVATE, seen, &t);
}
