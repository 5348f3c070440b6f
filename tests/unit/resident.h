/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resident.h - faults and pages for the tests of model/resident. Include it after cmocka.h. */
#ifndef FLT_UNIT_RESIDENT_H
#define FLT_UNIT_RESIDENT_H

#include "model/resident/pages.h"

/* Flags of pages. */
#define ANON 0
#define FILE_PAGE 1

static struct flt_page_size page_size = { 12, 512 };

static inline struct flt_fault fault_at(uint64_t page, uint8_t kind)
{
	return (struct flt_fault){ .address = page << page_size.shift, .kind = kind };
}

static inline void touch(struct flt_resident_pages *p, uint64_t page, uint8_t kind, uint32_t owner)
{
	const struct flt_fault f = fault_at(page, kind);

	flt_resident_fault(p, &f, owner);
}

/* Return the owner of a page. Fail if the page is not there. */
static inline uint32_t owner_of(const struct flt_resident_pages *p, uint64_t page)
{
	size_t i;

	for (i = 0; i < p->run_count; i++)
		if (page >= p->runs[i].page && page < p->runs[i].page + p->runs[i].count)
			return p->owner[p->runs[i].first + (page - p->runs[i].page)];
	fail_msg("page %lu is missing", (unsigned long)page);
	return 0;
}

#endif
