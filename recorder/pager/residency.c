// SPDX-License-Identifier: GPL-2.0-or-later
/* residency.c - resident and evicted pages, and their peaks. */
#include "residency.h"

#include "image/image.h"
#include "region/freeze.h"
#include "region/region.h"
#include "region/shadow.h"

void rec_residency_enter(size_t page)
{
	struct flt_ring_totals *t = rec_image.totals;

	rec_page_reset(page, PAGE_RESIDENT);
	rec_freeze_hold(page);
	flt_region_enter(&rec_region, page, PAGE_RESIDENT);
	t->resident = rec_region.resident;
	t->resident_peak = rec_region.resident_peak;
	if (rec_region.resident + rec_shadow.pages > t->used_peak)
		t->used_peak = rec_region.resident + rec_shadow.pages;
}

void rec_residency_leave(size_t page)
{
	enum page_state state = rec_page_state(page);

	if (state == PAGE_RESIDENT)
		rec_region.resident--;
	else if (state == PAGE_EVICTED)
		rec_shadow.pages--;
}

void rec_residency_publish(void)
{
	rec_image.totals->resident = rec_region.resident;
	rec_image.totals->shadow = rec_shadow.pages;
}
