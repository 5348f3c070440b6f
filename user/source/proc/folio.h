/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folio.h - which neighbours in memory are parts of one large folio, smaller than a huge page: the
 * kernel may have mapped them by one fault.
 */
#ifndef FLT_SOURCE_FOLIO_H
#define FLT_SOURCE_FOLIO_H

#include <stdbool.h>
#include <stdint.h>

#define FLT_FOLIO_FLAGS 64u	/* read at once */

/* All zero but for .kpageflags and .huge. Ask in the order of addresses. */
struct flt_folios {
	int kpageflags;		/* -1: nothing is known */
	uint64_t huge;		/* pages of a huge page; 0: there are none */
	uint64_t page, pfn;	/* asked last */
	uint64_t start, end;	/* frames of the folio found last */
	uint64_t first;		/* frame of flags[0] */
	uint64_t flags[FLT_FOLIO_FLAGS];
	unsigned int count;	/* of flags */
};

/* Forget what was read: the memory may have changed. */
static inline void flt_folios_forget(struct flt_folios *f)
{
	f->page = f->pfn = f->start = f->end = f->count = 0;
}

/*
 * Return whether a page and the page before are parts of one large folio. pfn: its frame; 0:
 * unknown.
 */
bool flt_folio_goes_on(struct flt_folios *folios, uint64_t page, uint64_t pfn);

#endif
