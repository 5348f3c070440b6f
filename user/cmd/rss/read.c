// SPDX-License-Identifier: GPL-2.0-or-later
/* read.c - read the memory of stopped processes into a moment. */
#include <errno.h>

#include "cmd/rss/rss.h"

struct reader {
	struct rss_moment *to;
	uint64_t *pages_left;
	uint64_t page_size;
};

static int on_begin(void *arg)
{
	struct reader *r = arg;
	struct flt_moment *m = &r->to->moment;
	struct flt_resident_pages *p = &m->processes[m->count - 1].pages;

	*r->pages_left += p->count;
	flt_resident_pages_clear(p);
	return 0;
}

static struct flt_resident_pages *pages_of(struct reader *r)
{
	return &r->to->moment.processes[r->to->moment.count - 1].pages;
}

/*
 * See vma_needs_copy() in mm/memory.c. Older kernels copy all of hugetlb. Each of its pages has a
 * fault of its own, so that nothing else need be known.
 */
static bool is_alone(const struct flt_present_area *a)
{
	if (a->of == FLT_PRESENT_HUGETLB)
		return false;
	return a->shared || (a->file && !a->sums.swap && !a->sums.by[FLT_PRESENT_ANON]);
}

static int on_area(void *arg, const struct flt_present_area *a)
{
	struct reader *r = arg;
	const uint32_t unit = a->of == FLT_PRESENT_HUGETLB ?
			      (uint32_t)(a->page_size / r->page_size) : 1;
	const unsigned int flags = (a->file ? FLT_RESIDENT_FILE : 0) |
				   (is_alone(a) ? FLT_RESIDENT_ALONE : 0);

	return flt_resident_area_add(pages_of(r), a->start / r->page_size, a->end / r->page_size,
				     a->name, flags, unit);
}

static int on_page(void *arg, uint64_t page, unsigned int flags)
{
	struct reader *r = arg;

	if (!*r->pages_left)
		return 0;
	--*r->pages_left;
	return flt_resident_page_add(pages_of(r), page, flags);
}

static void add_sums(struct rss_moment *m, const struct flt_present_sums *s,
		     const struct flt_present_doubt *d)
{
	size_t i;

	m->sums.rss += s->rss;
	m->sums.swap += s->swap;
	m->sums.shared += s->shared;
	m->sums.huge += s->huge;
	for (i = 0; i < __FLT_PRESENT_CLASSES; i++)
		m->sums.by[i] += s->by[i];
	m->doubt.changed |= d->changed;
	m->doubt.zero += d->zero;
	m->doubt.swap += d->swap;
	m->doubt.huge += d->huge;
	m->doubt.shared += d->shared;
}

static int read_process(struct reader *r, uint32_t pid, struct flt_errmsg *first)
{
	const struct flt_present_sink sink = {
		.begin = on_begin, .area = on_area, .page = on_page, .arg = r,
	};
	struct flt_present_doubt doubt;
	struct flt_present_sums sums;
	struct flt_errmsg e = { "" };
	struct flt_resident_pages *p;
	uint64_t all;
	int ret;

	if (!flt_moment_process(&r->to->moment, pid))
		return -ENOMEM;
	ret = flt_present_read(pid, &sink, &sums, &doubt, &e);
	p = pages_of(r);
	if (!ret)
		ret = flt_resident_pages_settle(p);
	if (!ret) {
		all = sums.rss + sums.swap + sums.by[FLT_PRESENT_HUGETLB] - doubt.zero - doubt.swap;
		if (all > p->count)
			r->to->beyond += all - p->count;
		add_sums(r->to, &sums, &doubt);
		return 0;
	}
	/* Zombies and kernel threads have no memory. */
	*r->pages_left += p->count;
	flt_resident_pages_free(p);
	r->to->moment.count--;
	if (ret == -ESRCH)
		return 0;
	if (!first->text[0])
		*first = e;
	return ret;
}

int rss_moment_read(struct rss_moment *m, const uint32_t *pids, size_t count,
		    uint64_t *pages_left, struct flt_errmsg *e)
{
	struct reader r = {
		.to = m, .pages_left = pages_left, .page_size = rss_bytes(m, 1),
	};
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < count; i++)
		ret = read_process(&r, pids[i], e);
	return ret;
}
