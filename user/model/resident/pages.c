// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/resident/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/flt_event.h>

#include "index/array.h"

#define CLASS_FILE 1
#define CLASS_SHMEM 2
#define CLASS_HUGETLB 3

/* How sure the owner of a page is. */
enum rank { NONE = 0, WEAK, AROUND, OWN };

#define RANK_SHIFT 5

static enum rank rank_of(const struct flt_resident_pages *p, uint32_t i)
{
	return (enum rank)((p->flags[i] & FLT_RESIDENT_RANK) >> RANK_SHIFT);
}

static void give(struct flt_resident_pages *p, uint32_t i, uint32_t owner, enum rank rank)
{
	p->owner[i] = owner;
	p->flags[i] = (unsigned char)((p->flags[i] & ~FLT_RESIDENT_RANK) |
				      (unsigned int)rank << RANK_SHIFT);
}

static void free_names(struct flt_resident_pages *p)
{
	uint32_t i;

	for (i = 0; i < p->area_count; i++)
		free(p->areas[i].name);
	p->area_count = 0;
}

void flt_resident_pages_free(struct flt_resident_pages *p)
{
	free_names(p);
	free(p->areas);
	free(p->runs);
	free(p->flags);
	free(p->owner);
	*p = (struct flt_resident_pages){ .page = p->page, .around = p->around };
}

void flt_resident_pages_clear(struct flt_resident_pages *p)
{
	free_names(p);
	p->run_count = 0;
	p->count = 0;
}

int flt_resident_area_add(struct flt_resident_pages *p, uint64_t start, uint64_t end,
			  const char *name, unsigned int flags, uint32_t unit)
{
	const int ret = flt_array_grow((void **)&p->areas, p->area_count, &p->area_room,
				       sizeof(*p->areas));
	char *copy;

	if (ret)
		return ret;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	p->areas[p->area_count++] = (struct flt_resident_area){
		.start = start, .end = end, .name = copy, .flags = flags, .unit = unit,
	};
	return 0;
}

static int grow(struct flt_resident_pages *p)
{
	uint32_t room = p->room + p->room / 4 + 4096;
	unsigned char *flags;

	if (room < p->room)
		return -E2BIG;
	flags = realloc(p->flags, room);
	if (!flags)
		return -ENOMEM;
	p->flags = flags;
	p->room = room;
	return 0;
}

static int run_add(struct flt_resident_pages *p, uint64_t page)
{
	size_t room = p->run_room + p->run_room / 4 + 256;
	struct flt_resident_run *more;

	if (p->run_count == p->run_room) {
		more = reallocarray(p->runs, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		p->runs = more;
		p->run_room = room;
	}
	p->runs[p->run_count++] = (struct flt_resident_run){ page, 0, p->count };
	return 0;
}

int flt_resident_page_add(struct flt_resident_pages *p, uint64_t page, unsigned int flags)
{
	struct flt_resident_run *run = p->run_count ? &p->runs[p->run_count - 1] : NULL;
	int ret = p->count == p->room ? grow(p) : 0;

	if (!ret && (!run || run->page + run->count != page))
		ret = run_add(p, page);
	if (ret)
		return ret;
	p->runs[p->run_count - 1].count++;
	p->flags[p->count++] = (unsigned char)(flags & ~FLT_RESIDENT_RANK);
	return 0;
}

/* Give unused room back to the allocator. Without memory for that, the array stays large. */
static void give_back_room(struct flt_resident_pages *p)
{
	void *flags = realloc(p->flags, p->count);
	void *runs;

	if (flags) {
		p->flags = flags;
		p->room = p->count;
	}
	runs = reallocarray(p->runs, p->run_count, sizeof(*p->runs));
	if (runs) {
		p->runs = runs;
		p->run_room = p->run_count;
	}
}

int flt_resident_pages_settle(struct flt_resident_pages *p)
{
	if (p->count)
		give_back_room(p);
	free(p->owner);
	p->owner = calloc(p->count ? p->count : 1, sizeof(*p->owner));
	return p->owner ? 0 : -ENOMEM;
}

uint64_t flt_resident_pages_bytes(const struct flt_resident_pages *p)
{
	return (uint64_t)p->count * (sizeof(*p->flags) + sizeof(*p->owner)) +
	       p->run_count * sizeof(*p->runs);
}

/* Return the index of the first run that ends after the page. */
static size_t run_at(const struct flt_resident_pages *p, uint64_t page)
{
	size_t low = 0, high = p->run_count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (p->runs[mid].page + p->runs[mid].count <= page)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool flt_resident_pages_have(const struct flt_resident_pages *p, uint64_t start, uint64_t end)
{
	const size_t run = run_at(p, start);

	return run < p->run_count && p->runs[run].page < end;
}

static const struct flt_resident_area *area_at(const struct flt_resident_pages *p, uint64_t page)
{
	uint32_t low = 0, high = p->area_count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (p->areas[mid].end <= page)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->area_count && p->areas[low].start <= page ? &p->areas[low] : NULL;
}

bool flt_resident_alone(const struct flt_resident_pages *p, uint64_t address)
{
	const struct flt_resident_area *a = area_at(p, address >> p->page.shift);

	return a && a->flags & FLT_RESIDENT_ALONE;
}

/* What a fault does to the pages from start to end. */
struct spread {
	uint64_t start, end;
	uint32_t owner;
	enum rank rank;
	unsigned int needs;	/* flags: only pages that have them */
	bool not_anon;		/* only pages of files */
	bool later;		/* replaces an owner of the same rank */
};

static void spread(struct flt_resident_pages *p, const struct spread *s)
{
	size_t run = run_at(p, s->start);
	uint64_t page;
	uint32_t i;

	for (; run < p->run_count && p->runs[run].page < s->end; run++) {
		page = p->runs[run].page < s->start ? s->start : p->runs[run].page;
		for (; page < s->end && page < p->runs[run].page + p->runs[run].count; page++) {
			i = p->runs[run].first + (uint32_t)(page - p->runs[run].page);
			if ((p->flags[i] & s->needs) != s->needs ||
			    (s->not_anon && !(p->flags[i] & FLT_RESIDENT_CLASS)))
				continue;
			if (rank_of(p, i) < s->rank || (s->later && rank_of(p, i) == s->rank))
				give(p, i, s->owner, s->rank);
		}
	}
}

/* Return the window that do_fault_around() of mm/memory.c maps. */
static void window_of(const struct flt_resident_pages *p, const struct flt_resident_area *a,
		      uint64_t page, uint64_t *start, uint64_t *end)
{
	const uint64_t table = page & ~(uint64_t)(p->page.huge - 1);

	*start = page / p->around * p->around;
	if (*start < a->start)
		*start = a->start;
	if (*start < table)
		*start = table;
	*end = *start + p->around;
	if (*end > table + p->page.huge)
		*end = table + p->page.huge;
	if (*end > a->end)
		*end = a->end;
}

static bool maps_around(const struct flt_fault *f)
{
	return f->kind == FLT_KIND_UNKNOWN || f->kind == FLT_KIND_FILE;
}

/* Return whether the page was there before the fault. */
static bool was_there(const struct flt_fault *f)
{
	return f->kind == FLT_KIND_WP || f->kind == FLT_KIND_SPURIOUS || f->kind == FLT_KIND_NUMA ||
	       f->kind == FLT_KIND_MIGRATION;
}

static void spread_huge(struct flt_resident_pages *p, const struct flt_fault *f, uint64_t page,
			uint32_t owner)
{
	struct spread s = {
		.start = page & ~(uint64_t)(p->page.huge - 1), .owner = owner,
		.rank = f->kind == FLT_KIND_HUGE ? OWN : WEAK, .needs = FLT_RESIDENT_HUGE,
		.later = true,
	};

	s.end = s.start + p->page.huge;
	if (f->kind == FLT_KIND_HUGE || f->kind == FLT_KIND_UNKNOWN)
		spread(p, &s);
	if (f->kind != FLT_KIND_HUGE)
		return;
	/* The huge page was split since: its other pages have no fault of their own. */
	s.needs = 0;
	s.rank = WEAK;
	spread(p, &s);
}

static void spread_file(struct flt_resident_pages *p, const struct flt_resident_area *a,
			const struct flt_fault *f, uint64_t page, uint32_t owner, bool anon)
{
	/* A major fault maps its neighbours only if they were cached already. */
	const bool weak = f->flags & FLT_FAULT_MAJOR || (anon && f->kind == FLT_KIND_UNKNOWN);
	struct spread s = { .owner = owner, .rank = weak ? WEAK : AROUND, .not_anon = true };

	if (!maps_around(f) || p->around < 2)
		return;
	window_of(p, a, page, &s.start, &s.end);
	spread(p, &s);
}

/*
 * The kernel fills or swaps in a large folio of anonymous memory only where no page is mapped. So
 * older faults at its pages explain nothing. The pages of a folio of shared memory may be mapped
 * by several faults.
 */
static void spread_folio(struct flt_resident_pages *p, const struct flt_fault *f,
			 const struct flt_resident_run *run, uint64_t page, uint32_t owner)
{
	const uint32_t last = run->first + run->count - 1;
	uint32_t i = run->first + (uint32_t)(page - run->page), first = i;
	const bool shmem = p->flags[i] & FLT_RESIDENT_CLASS;
	struct spread s = { .owner = owner, .rank = shmem ? AROUND : OWN, .later = !shmem };

	if (f->kind == FLT_KIND_UNKNOWN && !shmem)
		s.rank = WEAK;
	else if (shmem ? !maps_around(f) && f->kind != FLT_KIND_SHARED :
		 f->kind != FLT_KIND_ANON && f->kind != FLT_KIND_SWAP && f->kind != FLT_KIND_HUGE)
		return;
	while (first > run->first && p->flags[first] & FLT_RESIDENT_TAIL)
		first--;
	while (i < last && p->flags[i + 1] & FLT_RESIDENT_TAIL)
		i++;
	s.start = run->page + (first - run->first);
	s.end = run->page + (i - run->first) + 1;
	if (s.end - s.start > 1)
		spread(p, &s);
}

void flt_resident_fault(struct flt_resident_pages *p, const struct flt_fault *f, uint32_t owner)
{
	const uint64_t page = f->address >> p->page.shift;
	const struct flt_resident_area *a = area_at(p, page);
	struct spread s = {
		.start = page, .end = page + 1, .owner = owner, .rank = OWN, .later = true,
	};
	size_t run;
	bool there, anon = true;

	if (!a || was_there(f) || f->flags & (FLT_FAULT_FAILED | FLT_FAULT_REMOTE))
		return;
	if (a->unit > 1) {
		s.start = page / a->unit * a->unit;
		s.end = s.start + a->unit;
	}
	run = run_at(p, page);
	there = run < p->run_count && p->runs[run].page <= page;
	if (there)
		anon = !(p->flags[p->runs[run].first + (page - p->runs[run].page)] &
			 FLT_RESIDENT_CLASS);
	/* Such faults bring in anonymous pages only, so a file was mapped here since. */
	if (there && !anon && (f->kind == FLT_KIND_ANON || f->kind == FLT_KIND_COW))
		return;
	spread(p, &s);
	if (a->unit > 1)
		return;
	if (a->flags & FLT_RESIDENT_FILE)
		spread_file(p, a, f, page, owner, anon && there);
	if (there)
		spread_folio(p, f, &p->runs[run], page, owner);
	spread_huge(p, f, page, owner);
}

/* Give the pages from first to end to `owner`, if some of them, but not all, have one. */
static void fill_rest(struct flt_resident_pages *p, uint32_t first, uint32_t end, uint32_t owner)
{
	bool some = false;
	uint32_t i;

	for (i = first; i < end && !some; i++)
		some = p->owner[i];
	for (i = first; some && i < end; i++)
		if (!p->owner[i])
			p->owner[i] = owner;
}

void flt_resident_collapsed(struct flt_resident_pages *p, uint32_t owner)
{
	const struct flt_resident_run *run;
	uint64_t page, end;
	uint32_t first;

	for (run = p->runs; run < p->runs + p->run_count; run++) {
		end = run->page + run->count;
		page = (run->page + p->page.huge - 1) & ~(uint64_t)(p->page.huge - 1);
		for (; page + p->page.huge <= end; page += p->page.huge) {
			first = run->first + (uint32_t)(page - run->page);
			if ((p->flags[first] & (FLT_RESIDENT_HUGE | FLT_RESIDENT_CLASS)) ==
			    FLT_RESIDENT_HUGE)
				fill_rest(p, first, first + p->page.huge, owner);
		}
	}
}
