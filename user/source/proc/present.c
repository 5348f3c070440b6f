// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/present.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "source/proc/areas.h"
#include "source/proc/folio.h"
#include "source/proc/huge.h"
#include "source/proc/machine.h"
#include "source/proc/pagemap.h"
#include "source/proc/shmem_swap.h"

/* Unmapped pages that are read with their neighbours, because one call reads them all. */
#define GAP 4096u
#define ATTEMPTS 20

/* Documentation/admin-guide/mm/pagemap.rst */
#define ENTRY_FILE (1ull << 61)
#define ENTRY_EXCLUSIVE (1ull << 56)
#define KPF_ZERO_PAGE (1ull << 24)

struct reading {
	const struct flt_present_sink *sink;
	struct flt_present_doubt *doubt;
	uint32_t pid;
	int pagemap, kpageflags;
	struct flt_huge *huge;
	struct flt_folios folios;
	struct flt_shmem_swap shmem_swap;
	struct flt_areas before, after;
	uint64_t zero_pfn;	/* found last */
	/* Of the current area. */
	const struct flt_present_area *area;
	uint64_t present, maybe, swapped;
	bool has_zero;		/* some of `maybe` do not count */
	bool no_swap;		/* entries are not those that smaps counts */
	size_t range;		/* of shmem_swap: the next one */
	struct flt_present_sums sums;
};

/* The page of zeros and pages of devices have neither flag. So have anonymous shared pages. */
static bool may_be_zero(uint64_t entry)
{
	return !(entry & (ENTRY_FILE | ENTRY_EXCLUSIVE));
}

static bool is_zero(struct reading *r, uint64_t entry)
{
	const uint64_t pfn = entry & FLT_PAGEMAP_PFN;
	uint64_t flags;

	if (pfn == r->zero_pfn)
		return true;
	if (pread(r->kpageflags, &flags, 8, (off_t)(pfn * 8)) != 8 || !(flags & KPF_ZERO_PAGE))
		return false;
	r->zero_pfn = pfn;
	return true;
}

/* Ranges of addresses with pages, merged if they are close, because each takes a system call. */
struct walk {
	struct reading *reading;
	flt_pagemap_fn fn;
	uint64_t start, end;
	uint64_t gap;		/* bytes */
};

static int read_range(const struct walk *w)
{
	return flt_pagemap_read(w->reading->pagemap, w->start, w->end,
				FLT_PAGEMAP_PRESENT | FLT_PAGEMAP_SWAPPED, w->fn, w->reading);
}

static int add_range(void *walk, uint64_t start, uint64_t end)
{
	struct walk *w = walk;
	int ret = 0;

	if (start - w->end > w->gap) {
		ret = read_range(w);
		w->start = start;
	}
	w->end = end;
	return ret;
}

static int each_entry(struct reading *r, flt_pagemap_fn fn)
{
	struct walk w = { r, fn, r->area->start, r->area->start, GAP * flt_machine_page() };
	int ret = flt_pagemap_scan(r->pagemap, r->area->start, r->area->end,
				   FLT_PAGEMAP_IS_PRESENT | FLT_PAGEMAP_IS_SWAPPED, add_range, &w);

	if (ret == -EOPNOTSUPP) {
		w.end = r->area->end;
		ret = 0;
	}
	return ret ? ret : read_range(&w);
}

static int count_entry(void *reading, uint64_t page, uint64_t entry)
{
	struct reading *r = reading;

	(void)page;
	r->present += !!(entry & FLT_PAGEMAP_PRESENT);
	r->maybe += entry & FLT_PAGEMAP_PRESENT && may_be_zero(entry);
	r->swapped += !(entry & FLT_PAGEMAP_PRESENT);
	return 0;
}

/* Hand over the pages of shared memory in swap that are before a page. */
static int hand_over_swap(struct reading *r, uint64_t before)
{
	struct flt_shmem_range *range;
	int ret = 0;

	while (!ret && r->range < r->shmem_swap.count) {
		range = &r->shmem_swap.all[r->range];
		if (range->page == range->end) {
			r->range++;
			continue;
		}
		if (range->page >= before)
			break;
		r->sums.swap++;
		ret = r->sink->page(r->sink->arg, range->page++, FLT_PRESENT_SHMEM |
				    FLT_PRESENT_SWAPPED);
	}
	return ret;
}

static int hand_over(void *reading, uint64_t page, uint64_t entry)
{
	struct reading *r = reading;
	const struct flt_present_area *a = r->area;
	struct flt_present_sums *s = &r->sums;
	unsigned int flags = FLT_PRESENT_ANON;
	int ret = hand_over_swap(r, page);

	if (ret)
		return ret;
	if (!(entry & FLT_PAGEMAP_PRESENT)) {
		if (r->no_swap)
			return 0;
		s->swap++;
		return r->sink->page(r->sink->arg, page, (entry & ENTRY_FILE ? a->of : 0) |
				     FLT_PRESENT_SWAPPED);
	}
	if (r->has_zero && may_be_zero(entry) &&
	    (!r->maybe || !(entry & FLT_PAGEMAP_PFN) || is_zero(r, entry)))
		return 0;
	if (a->of == FLT_PRESENT_HUGETLB || entry & ENTRY_FILE)
		flags = a->of;
	if (!(entry & ENTRY_EXCLUSIVE))
		flags |= FLT_PRESENT_SHARED;
	if (flt_huge_has(r->huge, page))
		flags |= FLT_PRESENT_HUGE;
	else if (a->of != FLT_PRESENT_HUGETLB && (flags & FLT_PRESENT_CLASS) != FLT_PRESENT_FILE &&
		 flt_folio_goes_on(&r->folios, page, entry & FLT_PAGEMAP_PFN))
		flags |= FLT_PRESENT_TAIL;
	s->by[flags & FLT_PRESENT_CLASS]++;
	if (a->of != FLT_PRESENT_HUGETLB) {
		s->rss++;
		s->shared += !!(flags & FLT_PRESENT_SHARED);
		s->huge += !!(flags & FLT_PRESENT_HUGE);
	}
	return r->sink->page(r->sink->arg, page, flags);
}

static uint64_t missing(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

/* Compare what was handed over with smaps. */
static void compare(struct reading *r)
{
	const struct flt_present_sums *smaps = &r->area->sums, *s = &r->sums;

	r->doubt->zero += missing(smaps->rss, s->rss);
	r->doubt->swap += missing(smaps->swap, s->swap);
	r->doubt->huge += missing(smaps->huge, s->huge);
	r->doubt->shared += missing(smaps->shared, s->shared) + missing(s->shared, smaps->shared);
	/* More than smaps counts: something changed. */
	if (s->rss > smaps->rss || s->swap > smaps->swap || s->huge > smaps->huge ||
	    (!r->doubt->zero && s->by[FLT_PRESENT_ANON] != smaps->by[FLT_PRESENT_ANON]))
		r->doubt->changed = true;
}

/* Find the swapped pages that page tables do not have, if their number agrees with smaps. */
static int find_swap(struct reading *r, const struct flt_present_area *a)
{
	int ret = 0;

	r->shmem_swap.count = r->range = 0;
	if (a->of == FLT_PRESENT_SHMEM && a->sums.swap > r->swapped)
		ret = flt_shmem_swap_find(&r->shmem_swap, r->pid, a);
	if (ret || r->swapped + r->shmem_swap.pages != a->sums.swap)
		r->shmem_swap.count = 0;
	return ret == -ENOMEM ? ret : 0;
}

static int read_area(struct reading *r, const struct flt_present_area *a)
{
	const bool hugetlb = a->of == FLT_PRESENT_HUGETLB;
	int ret = r->sink->area(r->sink->arg, a);

	if (ret || (!a->sums.rss && !a->sums.swap && !hugetlb))
		return ret;
	r->area = a;
	r->present = r->maybe = r->swapped = 0;
	r->sums = (struct flt_present_sums){ 0 };
	ret = each_entry(r, count_entry);
	if (ret)
		return ret;
	r->has_zero = !hugetlb && r->present > a->sums.rss;
	/* If all that may be are the page of zeros, none needs to be looked at. */
	if (r->has_zero && r->present - a->sums.rss == r->maybe)
		r->maybe = 0;
	r->no_swap = r->swapped > a->sums.swap;
	ret = find_swap(r, a);
	if (!ret)
		ret = flt_huge_find(r->huge, r->pagemap, a);
	if (!ret)
		ret = each_entry(r, hand_over);
	if (!ret)
		ret = hand_over_swap(r, UINT64_MAX);
	if (!ret)
		compare(r);
	return ret;
}

static int read_once(struct reading *r, uint32_t pid, const struct flt_areas_shmem *shmem)
{
	size_t i;
	int ret = flt_areas_read(&r->before, pid, shmem);

	*r->doubt = (struct flt_present_doubt){ 0 };
	flt_folios_forget(&r->folios);
	if (!ret)
		ret = r->sink->begin(r->sink->arg);
	for (i = 0; !ret && i < r->before.count; i++)
		ret = read_area(r, &r->before.all[i]);
	if (!ret)
		ret = flt_areas_read(&r->after, pid, shmem);
	if (!ret && !flt_areas_same(&r->before, &r->after))
		r->doubt->changed = true;
	return ret;
}

static void sum_up(const struct flt_areas *areas, struct flt_present_sums *sums)
{
	size_t i, k;

	*sums = (struct flt_present_sums){ 0 };
	for (i = 0; i < areas->count; i++) {
		const struct flt_present_sums *s = &areas->all[i].sums;

		sums->rss += s->rss;
		sums->swap += s->swap;
		sums->shared += s->shared;
		sums->huge += s->huge;
		for (k = 0; k < __FLT_PRESENT_CLASSES; k++)
			sums->by[k] += s->by[k];
	}
}

int flt_present_read(uint32_t pid, const struct flt_present_sink *sink,
		     struct flt_present_sums *sums, struct flt_present_doubt *doubt,
		     struct flt_errmsg *e)
{
	struct reading r = { .sink = sink, .doubt = doubt, .pid = pid, .zero_pfn = ~0ull };
	struct flt_areas_shmem shmem = { 0 };
	char path[64];
	int ret, i;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/pagemap", pid);
	r.pagemap = open(path, O_RDONLY | O_CLOEXEC);
	if (r.pagemap < 0)
		return flt_errmsg_errno(e, errno == ENOENT ? -ESRCH : -errno, "cannot read %s "
					"(run as root, or as the user of the process)", path);
	r.kpageflags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	r.folios = (struct flt_folios){
		.kpageflags = r.kpageflags,
		.huge = flt_machine_huge_page() / flt_machine_page(),
	};
	ret = flt_huge_new(&r.huge, r.kpageflags);
	if (!ret)
		ret = flt_areas_shmem_read(&shmem, pid);
	for (i = 0; !ret && i < ATTEMPTS; i++) {
		ret = read_once(&r, pid, &shmem);
		if (!ret && !doubt->changed && !doubt->shared)
			break;
	}
	if (!ret)
		sum_up(&r.before, sums);
	else if (!e->text[0])
		flt_errmsg_errno(e, ret, "cannot read the memory of process %" PRIu32, pid);
	if (r.kpageflags >= 0)
		close(r.kpageflags);
	close(r.pagemap);
	flt_huge_free(r.huge);
	flt_shmem_swap_free(&r.shmem_swap);
	free(r.before.all);
	free(r.after.all);
	free(shmem.device);
	return ret;
}
