// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/advice.h"

static const struct {
	const char *name, *text;
} sentences[__FLT_ADVICE_LAST] = {
	[FLT_ADVICE_SWAP] = { "more-memory", "It is swapped out and comes back page by page: it needs more memory (a "
		"higher memory.max, fewer neighbours), or mlock() for the part that must not wait." },
	[FLT_ADVICE_LIMIT] = { "limit", "It does not fit under the limit: raise -L until these refaults go, or make "
		"the code touch less between two visits." },
	[FLT_ADVICE_CACHE] = { "cache", "Its pages are dropped and read again: more memory (a higher memory.max) so "
		"that the file stays cached, or mlock() for the part that must not wait." },
	[FLT_ADVICE_KEEP] = { "keep", "The memory is given back and taken again: keep it (MALLOC_TRIM_THRESHOLD_ and "
		"MALLOC_MMAP_THRESHOLD_ larger, no MADV_DONTNEED in between)." },
	[FLT_ADVICE_NUMA] = { "numa", "NUMA balancing looks who uses it: bind threads and memory (numactl), see "
		"fltctl numa." },
	[FLT_ADVICE_SEQUENTIAL] = { "sequential", "Read from front to back: madvise(MADV_SEQUENTIAL) reads further "
		"ahead, MADV_WILLNEED or readahead() in time saves the wait." },
	[FLT_ADVICE_BACKWARD] = { "backward", "Readahead goes forward only: ask for the piece below in time "
		"(MADV_WILLNEED or readahead()), or read from the front." },
	[FLT_ADVICE_STRIDED] = { "strided", "Readahead fetches what is skipped: MADV_RANDOM stops it, MADV_WILLNEED or "
		"readahead() for the places to come saves the wait." },
	[FLT_ADVICE_RANDOM] = { "random", "Readahead fetches what nobody asks for: madvise(MADV_RANDOM) stops it; if "
		"the file fits into memory, MADV_WILLNEED or MAP_POPULATE reads it once and in order." },
	[FLT_ADVICE_AHEAD] = { "ahead", "Waits for the disk: MADV_WILLNEED or readahead() before it is needed, "
		"MAP_POPULATE if all of it is." },
	[FLT_ADVICE_STACK] = { "stack", "A stack that grows: touch it once at the start, or mlockall(MCL_CURRENT), if "
		"the delay matters." },
	[FLT_ADVICE_FORK] = { "fork", "Copied page by page after fork(): posix_spawn() or vfork() for a child that "
		"only execs, MADV_DONTFORK for what it does not need." },
	[FLT_ADVICE_PRIVATE] = { "private", "A private mapping of a file is copied where it is written: read() into "
		"memory of its own, or map it shared, if much of it is." },
	[FLT_ADVICE_WRITEBACK] = { "write-back", "Pages are write-protected by each write-back and fault again at the "
		"next write: sync less often, or write() instead of mapping." },
	[FLT_ADVICE_HUGE] = { "huge", "madvise(MADV_HUGEPAGE) makes one fault of 512; MAP_POPULATE takes all at once; "
		"memory that is kept for the next use does not fault." },
	[FLT_ADVICE_SPARSE] = { "sparse", "Touched here and there: huge pages would waste most of it; bring together "
		"what is used together." },
	[FLT_ADVICE_POPULATE] = { "populate", "MAP_POPULATE or MADV_POPULATE_WRITE takes it in one call; memory that is "
		"kept for the next use does not fault." },
	[FLT_ADVICE_SHARED] = { "shared", "MAP_POPULATE or MADV_POPULATE_WRITE maps it in one call; MADV_HUGEPAGE where "
		"/sys/kernel/mm/transparent_hugepage/shmem_enabled allows." },
	[FLT_ADVICE_CODE] = { "code", "Code is mapped as it first runs: a process that lives longer, or fewer and "
		"smaller libraries; nothing waits for a disk here." },
	[FLT_ADVICE_CACHED] = { "cached", "It is cached and only mapped, piece by piece: MAP_POPULATE or "
		"MADV_POPULATE_READ maps it in one call." },
};

const char *flt_advice_name(enum flt_advice advice)
{
	return sentences[advice].name;
}

const char *flt_advice_text(enum flt_advice advice)
{
	return sentences[advice].text;
}

static bool share(uint64_t part, uint64_t all, unsigned int percent)
{
	return part && part * 100 >= all * percent;
}

static enum flt_advice of_majors(const struct flt_verdict *v)
{
	switch (v->order) {
	case FLT_ORDER_FORWARD:
		return FLT_ADVICE_SEQUENTIAL;
	case FLT_ORDER_BACKWARD:
		return FLT_ADVICE_BACKWARD;
	case FLT_ORDER_STRIDED:
		return FLT_ADVICE_STRIDED;
	case FLT_ORDER_RANDOM:
		return FLT_ADVICE_RANDOM;
	default:
		return FLT_ADVICE_AHEAD;
	}
}

static bool of_file(const struct flt_region *r)
{
	return r->area.of == FLT_AREA_FILE || r->area.of == FLT_AREA_SHMEM;
}

static enum flt_advice of_fresh(const struct flt_region *r)
{
	uint64_t pages = (r->area.end - r->area.start) >> 12;

	if (r->distinct < 512)
		return FLT_ADVICE_POPULATE;
	return share(r->distinct, pages, 50) ? FLT_ADVICE_HUGE : FLT_ADVICE_SPARSE;
}

enum flt_advice flt_advice_for(const struct flt_region *r, const struct flt_verdict *v, uint64_t all_faults,
			       uint64_t all_latency, bool limited)
{
	uint64_t faults = flt_region_faults(r);

	if (faults < FLT_ADVICE_FAULTS || r->area.of >= __FLT_AREA_MAX ||
	    (!share(faults, all_faults, FLT_ADVICE_SHARE) && !share(r->latency, all_latency, FLT_ADVICE_SHARE)))
		return FLT_ADVICE_NONE;
	if (share(r->kinds[FLT_KIND_SWAP], faults, 25))
		return FLT_ADVICE_SWAP;
	if (limited && v->reuse != FLT_REUSE_ONCE)
		return FLT_ADVICE_LIMIT;
	if (v->reuse == FLT_REUSE_THRASHING)
		return of_file(r) ? FLT_ADVICE_CACHE : FLT_ADVICE_KEEP;
	if (share(r->kinds[FLT_KIND_NUMA], faults, 25))
		return FLT_ADVICE_NUMA;
	if (of_file(r) && share(r->major, faults, 5))
		return of_majors(v);
	if (r->area.of == FLT_AREA_STACK)
		return FLT_ADVICE_STACK;
	if (share(r->kinds[FLT_KIND_COW], faults, 50))
		return of_file(r) ? FLT_ADVICE_PRIVATE : FLT_ADVICE_FORK;
	if (share(r->kinds[FLT_KIND_WP], faults, 50))
		return FLT_ADVICE_WRITEBACK;
	if (share(r->kinds[FLT_KIND_ANON] + r->kinds[FLT_KIND_UFFD], faults, 50) ||
	    (share(r->kinds[FLT_KIND_UNKNOWN], faults, 50) && !of_file(r)))
		return of_fresh(r);
	if (share(r->kinds[FLT_KIND_SHARED], faults, 50))
		return FLT_ADVICE_SHARED;
	if (share(r->kinds[FLT_KIND_FILE], faults, 50))
		return r->area.protection & 4 ? FLT_ADVICE_CODE : FLT_ADVICE_CACHED;
	return FLT_ADVICE_NONE;
}
