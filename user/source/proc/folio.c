// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/folio.h"

#include <unistd.h>

/* Documentation/admin-guide/mm/pagemap.rst */
#define KPF_COMPOUND_TAIL (1ull << 16)

static uint64_t flags_of(struct flt_folios *f, uint64_t pfn)
{
	const uint64_t first = pfn / FLT_FOLIO_FLAGS * FLT_FOLIO_FLAGS;
	ssize_t n;

	if (!f->count || f->first != first) {
		n = pread(f->kpageflags, f->flags, sizeof(f->flags), (off_t)(first * 8));
		f->first = first;
		f->count = n > 0 ? (unsigned int)n / 8 : 0;
	}
	return pfn - first < f->count ? f->flags[pfn - first] : 0;
}

/* Find the folio of a frame that is not its first one. A huge page is found in part. */
static void find(struct flt_folios *f, uint64_t pfn)
{
	f->start = f->end = pfn;
	while (f->start && f->end - f->start < f->huge && flags_of(f, f->start) & KPF_COMPOUND_TAIL)
		f->start--;
	do {
		f->end++;
	} while (f->end - f->start < f->huge && flags_of(f, f->end) & KPF_COMPOUND_TAIL);
}

bool flt_folio_goes_on(struct flt_folios *f, uint64_t page, uint64_t pfn)
{
	const bool adjacent = pfn && page == f->page + 1 && pfn == f->pfn + 1;

	f->page = page;
	f->pfn = pfn;
	if (!adjacent || f->kpageflags < 0 || !(flags_of(f, pfn) & KPF_COMPOUND_TAIL))
		return false;
	if (pfn <= f->start || pfn >= f->end)
		find(f, pfn);
	return f->end - f->start < f->huge;
}
