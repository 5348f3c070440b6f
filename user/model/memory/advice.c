// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/advice.h"

static const struct {
	const char *name, *text;
} remedies[__FLT_REMEDY_LAST] = {
	[FLT_REMEDY_SWAP] = { "more-memory", "It is swapped out and comes back page by page: it needs more memory (a "
		"higher memory.max, fewer neighbours), or mlock() for the part that must not wait." },
	[FLT_REMEDY_LIMIT] = { "limit", "It does not fit under the limit: raise -L until these refaults go, or make "
		"the code touch less between two visits." },
	[FLT_REMEDY_CACHE] = { "cache", "Its pages are dropped and read again: more memory (a higher memory.max) so "
		"that the file stays cached, or mlock() for the part that must not wait." },
	[FLT_REMEDY_KEEP] = { "keep", "The memory is given back and taken again: keep it (MALLOC_TRIM_THRESHOLD_ and "
		"MALLOC_MMAP_THRESHOLD_ larger, no MADV_DONTNEED in between)." },
	[FLT_REMEDY_NUMA] = { "numa", "NUMA balancing looks who uses it: bind threads and memory (numactl), see "
		"fltctl numa." },
	[FLT_REMEDY_SEQUENTIAL] = { "sequential", "Read from front to back: madvise(MADV_SEQUENTIAL) reads further "
		"ahead, MADV_WILLNEED or readahead() in time saves the wait." },
	[FLT_REMEDY_BACKWARD] = { "backward", "Readahead goes forward only: ask for the piece below in time "
		"(MADV_WILLNEED or readahead()), or read from the front." },
	[FLT_REMEDY_STRIDED] = { "strided", "Readahead fetches what is skipped: MADV_RANDOM stops it, MADV_WILLNEED or "
		"readahead() for the places to come saves the wait." },
	[FLT_REMEDY_RANDOM] = { "random", "Readahead fetches what nobody asks for: madvise(MADV_RANDOM) stops it; if "
		"the file fits into memory, MADV_WILLNEED or MAP_POPULATE reads it once and in order." },
	[FLT_REMEDY_AHEAD] = { "ahead", "Waits for the disk: MADV_WILLNEED or readahead() before it is needed, "
		"MAP_POPULATE if all of it is." },
	[FLT_REMEDY_STACK] = { "stack", "A stack that grows: touch it once at the start, or mlockall(MCL_CURRENT), if "
		"the delay matters." },
	[FLT_REMEDY_FORK] = { "fork", "Copied page by page after fork(): posix_spawn() or vfork() for a child that "
		"only execs, MADV_DONTFORK for what it does not need." },
	[FLT_REMEDY_PRIVATE] = { "private", "A private mapping of a file is copied where it is written: read() into "
		"memory of its own, or map it shared, if much of it is." },
	[FLT_REMEDY_WRITEBACK] = { "write-back", "Pages are write-protected by each write-back and fault again at the "
		"next write: sync less often, or write() instead of mapping." },
	[FLT_REMEDY_HUGE] = { "huge", "madvise(MADV_HUGEPAGE) makes one fault of 512; MAP_POPULATE takes all at once; "
		"memory that is kept for the next use does not fault." },
	[FLT_REMEDY_SPARSE] = { "sparse", "Touched here and there: huge pages would waste most of it; bring together "
		"what is used together." },
	[FLT_REMEDY_POPULATE] = { "populate", "MAP_POPULATE or MADV_POPULATE_WRITE takes it in one call; memory that is "
		"kept for the next use does not fault." },
	[FLT_REMEDY_SHARED] = { "shared", "MAP_POPULATE or MADV_POPULATE_WRITE maps it in one call; MADV_HUGEPAGE where "
		"/sys/kernel/mm/transparent_hugepage/shmem_enabled allows." },
	[FLT_REMEDY_CODE] = { "code", "Code is mapped as it first runs: a process that lives longer, or fewer and "
		"smaller libraries; nothing waits for a disk here." },
	[FLT_REMEDY_CACHED] = { "cached", "It is cached and only mapped, piece by piece: MAP_POPULATE or "
		"MADV_POPULATE_READ maps it in one call." },
};

const char *flt_remedy_name(enum flt_remedy remedy)
{
	return remedies[remedy].name;
}

const char *flt_remedy_text(enum flt_remedy remedy)
{
	return remedies[remedy].text;
}

static bool share(uint64_t part, uint64_t all, unsigned int percent)
{
	return part && part * 100 >= all * percent;
}

static enum flt_remedy of_majors(const struct flt_verdict *v)
{
	switch (v->order) {
	case FLT_ORDER_FORWARD:
		return FLT_REMEDY_SEQUENTIAL;
	case FLT_ORDER_BACKWARD:
		return FLT_REMEDY_BACKWARD;
	case FLT_ORDER_STRIDED:
		return FLT_REMEDY_STRIDED;
	case FLT_ORDER_RANDOM:
		return FLT_REMEDY_RANDOM;
	default:
		return FLT_REMEDY_AHEAD;
	}
}

static bool of_file(const struct flt_region *r)
{
	return r->area.of == FLT_AREA_FILE || r->area.of == FLT_AREA_SHMEM;
}

static enum flt_remedy of_fresh(const struct flt_region *r)
{
	uint64_t pages = (r->area.end - r->area.start) >> 12;

	if (r->distinct < 512)
		return FLT_REMEDY_POPULATE;
	return share(r->distinct, pages, 50) ? FLT_REMEDY_HUGE : FLT_REMEDY_SPARSE;
}

enum flt_remedy flt_remedy_for(const struct flt_region *r, const struct flt_verdict *v, uint64_t all_faults,
			       uint64_t all_latency, bool limited)
{
	uint64_t faults = flt_region_faults(r);

	if (faults < FLT_REMEDY_FAULTS || r->area.of >= __FLT_AREA_MAX ||
	    (!share(faults, all_faults, FLT_REMEDY_SHARE) && !share(r->latency, all_latency, FLT_REMEDY_SHARE)))
		return FLT_REMEDY_NONE;
	if (share(r->kinds[FLT_KIND_SWAP], faults, 25))
		return FLT_REMEDY_SWAP;
	if (limited && v->reuse != FLT_REUSE_ONCE)
		return FLT_REMEDY_LIMIT;
	if (v->reuse == FLT_REUSE_THRASHING)
		return of_file(r) ? FLT_REMEDY_CACHE : FLT_REMEDY_KEEP;
	if (share(r->kinds[FLT_KIND_NUMA], faults, 25))
		return FLT_REMEDY_NUMA;
	if (of_file(r) && share(r->major, faults, 5))
		return of_majors(v);
	if (r->area.of == FLT_AREA_STACK)
		return FLT_REMEDY_STACK;
	if (share(r->kinds[FLT_KIND_COW], faults, 50))
		return of_file(r) ? FLT_REMEDY_PRIVATE : FLT_REMEDY_FORK;
	if (share(r->kinds[FLT_KIND_WP], faults, 50))
		return FLT_REMEDY_WRITEBACK;
	if (share(r->kinds[FLT_KIND_ANON] + r->kinds[FLT_KIND_UFFD], faults, 50) ||
	    (share(r->kinds[FLT_KIND_UNKNOWN], faults, 50) && !of_file(r)))
		return of_fresh(r);
	if (share(r->kinds[FLT_KIND_SHARED], faults, 50))
		return FLT_REMEDY_SHARED;
	if (share(r->kinds[FLT_KIND_FILE], faults, 50))
		return r->area.protection & 4 ? FLT_REMEDY_CODE : FLT_REMEDY_CACHED;
	return FLT_REMEDY_NONE;
}
