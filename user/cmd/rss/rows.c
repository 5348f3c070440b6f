// SPDX-License-Identifier: GPL-2.0-or-later
/* rows.c - the rows of a moment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/rss/rss.h"

const char *const rss_nobodies[] = { "unknown", "[collapse]" };

const char *rss_row_nobody(const struct rss_row *row)
{
	return row->unknown ? rss_nobodies[FLT_RESIDENT_UNKNOWN] :
	       row->collapse ? rss_nobodies[FLT_RESIDENT_COLLAPSE] : NULL;
}

static void parts_sum(struct rss_parts *to, const struct rss_parts *from)
{
	size_t i;

	to->rss += from->rss;
	to->swap += from->swap;
	to->unknown += from->unknown;
	to->shared += from->shared;
	to->huge += from->huge;
	for (i = 0; i < __FLT_PRESENT_CLASSES; i++)
		to->by[i] += from->by[i];
}

static void parts_page(struct rss_parts *p, unsigned int flags, bool unknown)
{
	const unsigned int class = flags & FLT_PRESENT_CLASS;

	if (flags & FLT_PRESENT_SWAPPED) {
		p->swap++;
		return;
	}
	p->by[class]++;
	if (class == FLT_PRESENT_HUGETLB)
		return;
	p->rss++;
	p->unknown += unknown;
	p->shared += !!(flags & FLT_PRESENT_SHARED);
	p->huge += !!(flags & FLT_PRESENT_HUGE);
}

static bool parts_none(const struct rss_parts *p)
{
	return !p->rss && !p->swap && !p->by[FLT_PRESENT_HUGETLB];
}

static int row_add(struct rss_rows *l, const struct rss_row *row)
{
	size_t room = l->room ? l->room * 2 : 256;
	struct rss_row *more;

	if (l->count == l->room) {
		more = reallocarray(l->rows, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		l->rows = more;
		l->room = room;
	}
	l->rows[l->count++] = *row;
	return 0;
}

static int row_code(struct rss_row *row, enum rss_by by, struct rss_joined *j, uint32_t place)
{
	const struct flt_frames *f = flt_symbols_at(j->symbols, place);

	if (!f)
		return -ENOMEM;
	row->object = f->object;
	if (by == RSS_BY_OBJECT)
		return 0;
	row->function = f->frame[0].function;
	if (f->count > 1)
		row->within = f->frame[f->count - 1].function;
	if (by == RSS_BY_FUNCTION)
		return 0;
	row->file = f->frame[0].file;
	row->line = f->frame[0].line;
	return 0;
}

/* Make the row of the pages of a process that belong to an owner. */
static int row_make(struct rss_row *row, enum rss_by by, struct rss_joined *j,
		    const struct flt_resident_process *p, const struct flt_moment *m,
		    uint32_t owner)
{
	const struct flt_resident_owner *o = &m->owners[owner];
	const struct flt_image *image = flt_recording_image(j->load.rec, p->image);

	*row = (struct rss_row){ .pid = p->pid, .comm = image ? image->comm : "" };
	if (!o->image) {
		row->unknown = owner == FLT_RESIDENT_UNKNOWN;
		row->collapse = owner == FLT_RESIDENT_COLLAPSE;
		return 0;
	}
	if (by == RSS_BY_THREAD) {
		row->tid = o->tid;
		row->comm = flt_recording_comm(j->load.rec, o->image, o->tid);
		return 0;
	}
	if (by == RSS_BY_STACK) {
		row->image = o->image;
		row->stack = o->stack;
		row->place = o->place;
	}
	return row_code(row, by, j, o->place);
}

/* Add a row per owner. */
static int add_owners(struct rss_rows *l, enum rss_by by, struct rss_joined *j,
		      const struct flt_moment *m, const struct flt_resident_process *p)
{
	struct rss_parts *parts = calloc(m->owner_count, sizeof(*parts));
	struct rss_row row;
	uint32_t i;
	int ret = parts ? 0 : -ENOMEM;

	for (i = 0; !ret && i < p->pages.count; i++)
		parts_page(&parts[p->pages.owner[i]], p->pages.flags[i], !p->pages.owner[i]);
	for (i = 0; !ret && i < m->owner_count; i++) {
		if (parts_none(&parts[i]))
			continue;
		ret = row_make(&row, by, j, p, m, i);
		row.parts = parts[i];
		row.most = parts[i].rss;
		if (!ret)
			ret = row_add(l, &row);
	}
	free(parts);
	return ret;
}

/* Add a row per mapping. */
static int add_areas(struct rss_rows *l, const struct rss_joined *j,
		     const struct flt_resident_process *p)
{
	const struct flt_image *image = flt_recording_image(j->load.rec, p->image);
	const struct flt_resident_pages *pages = &p->pages;
	struct rss_row row;
	size_t i, run = 0;
	uint64_t page;
	uint32_t k;
	int ret = 0;

	for (i = 0; !ret && i < pages->area_count; i++) {
		const struct flt_resident_area *a = &pages->areas[i];

		row = (struct rss_row){
			.pid = p->pid, .comm = image ? image->comm : "",
			.address = a->start << pages->page.shift,
			.object = a->name[0] ? a->name : "[anon]",
		};
		/* A run may begin in one mapping and end in the next. */
		for (; run < pages->run_count && pages->runs[run].page < a->end; run++) {
			for (k = 0; k < pages->runs[run].count; k++) {
				page = pages->runs[run].page + k;
				if (page >= a->start && page < a->end)
					parts_page(&row.parts,
						   pages->flags[pages->runs[run].first + k],
						   !pages->owner[pages->runs[run].first + k]);
			}
			if (pages->runs[run].page + pages->runs[run].count > a->end)
				break;
		}
		row.most = row.parts.rss;
		if (!parts_none(&row.parts))
			ret = row_add(l, &row);
	}
	return ret;
}

/* Add a row for the cgroup of the process. */
static int add_cgroup(struct rss_rows *l, const struct rss_joined *j,
		      const struct flt_resident_process *p)
{
	const struct flt_image *image = flt_recording_image(j->load.rec, p->image);
	struct rss_row row = {
		.pid = p->pid, .comm = image ? image->comm : "",
		.cgroup = image ? image->cgroup : NULL,
	};
	uint32_t i;

	for (i = 0; i < p->pages.count; i++)
		parts_page(&row.parts, p->pages.flags[i], !p->pages.owner[i]);
	row.most = row.parts.rss;
	return parts_none(&row.parts) ? 0 : row_add(l, &row);
}

static int pointer_order(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

static int name_order(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int number_order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Names are interned, so equal names have equal addresses, except those of mappings. */
static int row_order(const void *a, const void *b)
{
	const struct rss_row *x = a, *y = b;
	int order = number_order(x->unknown, y->unknown);

	if (!order)
		order = number_order(x->collapse, y->collapse);
	if (!order)
		order = pointer_order(x->function, y->function);
	if (!order)
		order = x->address ? name_order(x->object, y->object) :
				     pointer_order(x->object, y->object);
	if (!order)
		order = pointer_order(x->file, y->file);
	if (!order)
		order = pointer_order(x->cgroup, y->cgroup);
	if (!order)
		order = number_order(x->line, y->line);
	if (!order)
		order = number_order(x->address, y->address);
	if (!order)
		order = number_order(x->tid, y->tid);
	if (!order)
		order = number_order((uint64_t)x->image << 32 | x->stack,
				     (uint64_t)y->image << 32 | y->stack);
	if (!order)
		order = number_order(x->place, y->place);
	/* Code is merged over processes; memory and threads are not. */
	if (!order && (x->tid || x->address))
		order = number_order(x->pid, y->pid);
	return order;
}

static int size_order(const void *a, const void *b)
{
	const struct rss_row *x = a, *y = b;
	int order = number_order(y->parts.rss, x->parts.rss);

	if (!order)
		order = number_order(y->parts.swap, x->parts.swap);
	if (!order)
		order = strcmp(x->function ? x->function : "", y->function ? y->function : "");
	if (!order)
		order = number_order(x->line, y->line);
	if (!order)
		order = number_order(x->address, y->address);
	return order ? order : row_order(a, b);
}

static void merge(struct rss_row *to, const struct rss_row *from)
{
	parts_sum(&to->parts, &from->parts);
	parts_sum(&to->before, &from->before);
	if (from->within != to->within)
		to->within = NULL;
	if (to->pid == from->pid) {
		to->most += from->most;
		return;
	}
	to->several = true;
	if (from->most > to->most) {
		to->pid = from->pid;
		to->comm = from->comm;
		to->most = from->most;
	}
}

static void merge_equal(struct rss_rows *l)
{
	size_t i, kept = 1;

	if (!l->count)
		return;
	qsort(l->rows, l->count, sizeof(*l->rows), row_order);
	for (i = 1; i < l->count; i++) {
		if (row_order(&l->rows[i], &l->rows[kept - 1]))
			l->rows[kept++] = l->rows[i];
		else
			merge(&l->rows[kept - 1], &l->rows[i]);
	}
	l->count = kept;
}

/* Add pages that are counted but not known one by one. */
static int add_doubt(struct rss_rows *l, const struct rss_moment *m)
{
	struct rss_row row = { .unknown = true, .comm = "" };
	struct rss_parts sum = { 0 };
	size_t i;

	for (i = 0; i < l->count; i++)
		parts_sum(&sum, &l->rows[i].parts);
	row.parts.rss = m->sums.rss > sum.rss ? m->sums.rss - sum.rss : 0;
	row.parts.unknown = row.parts.rss;
	row.parts.swap = m->sums.swap > sum.swap ? m->sums.swap - sum.swap : 0;
	for (i = 0; i < __FLT_PRESENT_CLASSES; i++)
		row.parts.by[i] = m->sums.by[i] > sum.by[i] ? m->sums.by[i] - sum.by[i] : 0;
	row.parts.shared = m->sums.shared > sum.shared ? m->sums.shared - sum.shared : 0;
	row.parts.huge = m->sums.huge > sum.huge ? m->sums.huge - sum.huge : 0;
	return parts_none(&row.parts) ? 0 : row_add(l, &row);
}

int rss_rows_build(struct rss_rows *l, struct rss_joined *j, const struct rss_moment *m,
		   enum rss_by by)
{
	const struct flt_resident_process *p;
	size_t i;
	int ret = 0;

	*l = (struct rss_rows){ 0 };
	for (i = 0; !ret && i < m->moment.count; i++) {
		p = &m->moment.processes[i];
		ret = by == RSS_BY_VMA ? add_areas(l, j, p) :
		      by == RSS_BY_CGROUP ? add_cgroup(l, j, p) :
		      add_owners(l, by, j, &m->moment, p);
	}
	if (!ret)
		ret = add_doubt(l, m);
	if (ret) {
		rss_rows_free(l);
		return ret;
	}
	merge_equal(l);
	for (i = 0; i < l->count; i++)
		parts_sum(&l->total, &l->rows[i].parts);
	if (l->count)
		qsort(l->rows, l->count, sizeof(*l->rows), size_order);
	return 0;
}

static int64_t growth(const struct rss_row *row)
{
	return (int64_t)row->parts.rss - (int64_t)row->before.rss;
}

static int growth_order(const void *a, const void *b)
{
	const int64_t x = growth(a), y = growth(b);

	return x != y ? (x > y ? -1 : 1) : size_order(a, b);
}

int rss_rows_diff(struct rss_rows *after, const struct rss_rows *before)
{
	struct rss_row row;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < before->count; i++) {
		row = before->rows[i];
		row.before = row.parts;
		row.parts = (struct rss_parts){ 0 };
		row.most = 0;
		ret = row_add(after, &row);
	}
	if (ret)
		return ret;
	after->before = before->total;
	merge_equal(after);
	if (after->count)
		qsort(after->rows, after->count, sizeof(*after->rows), growth_order);
	return 0;
}

void rss_rows_free(struct rss_rows *l)
{
	free(l->rows);
	*l = (struct rss_rows){ 0 };
}
