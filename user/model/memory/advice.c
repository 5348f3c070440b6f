// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/advice.h"

static const struct {
	const char *name, *text;
} sentences[__FLT_ADVICE_LAST] = {
	[FLT_ADVICE_SWAP] = { "more-memory",
		"The region is swapped out and comes back page by page. Give it more memory (a "
		"higher memory.max, fewer other programs), or mlock() the part that must not "
		"wait." },
	[FLT_ADVICE_LIMIT] = { "limit",
		"The region does not fit under the limit. Raise -L until these refaults "
		"disappear, or make the code touch fewer pages between two uses of a page." },
	[FLT_ADVICE_CACHE] = { "cache",
		"Pages of the file are dropped and read again. Give it more memory (a higher "
		"memory.max) so that the file stays cached, or mlock() the part that must not "
		"wait." },
	[FLT_ADVICE_KEEP] = { "keep",
		"The memory is freed and allocated again. Keep it (larger MALLOC_TRIM_THRESHOLD_ "
		"and MALLOC_MMAP_THRESHOLD_, no MADV_DONTNEED in between)." },
	[FLT_ADVICE_NUMA] = { "numa",
		"NUMA balancing samples which node uses the memory. Bind threads and memory "
		"(numactl); see fltctl numa." },
	[FLT_ADVICE_SEQUENTIAL] = { "sequential",
		"The file is read from front to back. madvise(MADV_SEQUENTIAL) makes readahead "
		"larger; MADV_WILLNEED or readahead() in time avoids the wait." },
	[FLT_ADVICE_BACKWARD] = { "backward",
		"The file is read backward, but readahead works only forward. Request the part "
		"before in time (MADV_WILLNEED or readahead()), or read from the front." },
	[FLT_ADVICE_STRIDED] = { "strided",
		"Readahead also reads the pages that the program skips. MADV_RANDOM stops "
		"readahead; MADV_WILLNEED or readahead() for the next pages avoids the wait." },
	[FLT_ADVICE_RANDOM] = { "random",
		"Readahead reads pages that the program does not use. madvise(MADV_RANDOM) stops "
		"readahead. If the file fits into memory, MADV_WILLNEED or MAP_POPULATE reads it "
		"once and in order." },
	[FLT_ADVICE_AHEAD] = { "ahead",
		"The program waits for the disk. Use MADV_WILLNEED or readahead() before the "
		"pages are needed, or MAP_POPULATE if all pages are needed." },
	[FLT_ADVICE_STACK] = { "stack",
		"The stack grows. If the delay matters, touch the stack once at the start, or use "
		"mlockall(MCL_CURRENT)." },
	[FLT_ADVICE_FORK] = { "fork",
		"Memory is copied page by page after fork(). Use posix_spawn() or vfork() for a "
		"child that only calls exec, and MADV_DONTFORK for memory that the child does not "
		"need." },
	[FLT_ADVICE_PRIVATE] = { "private",
		"Written pages of a private file mapping are copied. If many pages are written, "
		"read() the file into anonymous memory, or map it shared." },
	[FLT_ADVICE_WRITEBACK] = { "write-back",
		"Each write-back write-protects the pages, so they fault again at the next write. "
		"Sync less often, or use write() instead of a mapping." },
	[FLT_ADVICE_HUGE] = { "huge",
		"madvise(MADV_HUGEPAGE) replaces all faults of a huge page with one; MAP_POPULATE "
		"maps all pages at once. Memory that is kept for reuse does not fault." },
	[FLT_ADVICE_SPARSE] = { "sparse",
		"Few pages of the region are used, so huge pages would waste memory. Place data "
		"that is used together on the same pages." },
	[FLT_ADVICE_POPULATE] = { "populate",
		"MAP_POPULATE or MADV_POPULATE_WRITE maps the region in one call. Memory that is "
		"kept for reuse does not fault." },
	[FLT_ADVICE_SHARED] = { "shared",
		"MAP_POPULATE or MADV_POPULATE_WRITE maps the region in one call. MADV_HUGEPAGE "
		"helps if /sys/kernel/mm/transparent_hugepage/shmem_enabled allows it." },
	[FLT_ADVICE_CODE] = { "code",
		"Code is mapped when it first runs. Use a long-lived process, or fewer and "
		"smaller libraries. These faults do not wait for a disk." },
	[FLT_ADVICE_CACHED] = { "cached",
		"The file is cached and is only mapped, page by page. MAP_POPULATE or "
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

/* Return true if part is at least that many percent of all, and not 0. */
static bool share(uint64_t part, uint64_t all, unsigned int percent)
{
	return part && part * 100 >= all * percent;
}

/* Return the advice for a file with major faults. */
static enum flt_advice advise_major_faults(const struct flt_verdict *v)
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

static bool is_file(const struct flt_region *r)
{
	return r->area.of == FLT_AREA_FILE || r->area.of == FLT_AREA_SHMEM;
}

/* Return the advice for new anonymous memory. */
static enum flt_advice advise_new_memory(const struct flt_region *r, struct flt_page_size page)
{
	uint64_t pages = (r->area.end - r->area.start) >> page.shift;

	if (r->distinct < page.huge)
		return FLT_ADVICE_POPULATE;
	return share(r->distinct, pages, 50) ? FLT_ADVICE_HUGE : FLT_ADVICE_SPARSE;
}

enum flt_advice flt_advice_for(const struct flt_region *r, const struct flt_verdict *v,
			       const struct flt_advice_all *all)
{
	uint64_t faults = flt_region_faults(r);

	if (faults < FLT_ADVICE_FAULTS || r->area.of >= __FLT_AREA_MAX ||
	    (!share(faults, all->faults, FLT_ADVICE_SHARE) &&
	     !share(r->latency, all->latency, FLT_ADVICE_SHARE)))
		return FLT_ADVICE_NONE;
	if (share(r->kinds[FLT_KIND_SWAP], faults, 25))
		return FLT_ADVICE_SWAP;
	if (all->limited && v->reuse != FLT_REUSE_ONCE)
		return FLT_ADVICE_LIMIT;
	if (v->reuse == FLT_REUSE_THRASHING)
		return is_file(r) ? FLT_ADVICE_CACHE : FLT_ADVICE_KEEP;
	if (share(r->kinds[FLT_KIND_NUMA], faults, 25))
		return FLT_ADVICE_NUMA;
	if (is_file(r) && share(r->major, faults, 5))
		return advise_major_faults(v);
	if (r->area.of == FLT_AREA_STACK)
		return FLT_ADVICE_STACK;
	if (share(r->kinds[FLT_KIND_COW], faults, 50))
		return is_file(r) ? FLT_ADVICE_PRIVATE : FLT_ADVICE_FORK;
	if (share(r->kinds[FLT_KIND_WP], faults, 50))
		return FLT_ADVICE_WRITEBACK;
	if (share(r->kinds[FLT_KIND_ANON] + r->kinds[FLT_KIND_UFFD], faults, 50) ||
	    (share(r->kinds[FLT_KIND_UNKNOWN], faults, 50) && !is_file(r)))
		return advise_new_memory(r, all->page);
	if (share(r->kinds[FLT_KIND_SHARED], faults, 50))
		return FLT_ADVICE_SHARED;
	if (share(r->kinds[FLT_KIND_FILE], faults, 50))
		return r->area.protection & 4 ? FLT_ADVICE_CODE : FLT_ADVICE_CACHED;
	return FLT_ADVICE_NONE;
}
