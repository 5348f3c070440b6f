// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/resident/moment.h"

#include <errno.h>
#include <stdlib.h>

#include <linux/flt_event.h>

#include "index/array.h"

static void free_process(struct flt_resident_process *p)
{
	flt_resident_pages_free(&p->pages);
	flt_resident_moves_free(&p->moves);
}

void flt_moment_free(struct flt_moment *m)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		free_process(&m->processes[i]);
	free(m->processes);
	free(m->owners);
	flt_index_free(&m->owner_index);
	free(m->ancestors);
	*m = (struct flt_moment){ 0 };
}

struct flt_resident_process *flt_moment_process(struct flt_moment *m, uint32_t pid)
{
	struct flt_resident_process *more;

	more = reallocarray(m->processes, m->count + 1, sizeof(*more));
	if (!more)
		return NULL;
	m->processes = more;
	m->processes[m->count] = (struct flt_resident_process){
		.pid = pid, .pages.page = m->page,
	};
	return &m->processes[m->count++];
}

int flt_moment_ancestor(struct flt_moment *m, uint32_t image, uint32_t process, uint64_t until)
{
	const int ret = flt_array_grow((void **)&m->ancestors, m->ancestor_count, &m->ancestor_room,
				       sizeof(*m->ancestors));

	if (ret)
		return ret;
	m->ancestors[m->ancestor_count++] = (struct flt_resident_ancestor){ image, process, until };
	return 0;
}

int flt_moment_move(struct flt_moment *m, uint32_t process, const struct flt_resident_move *move)
{
	return move->time <= m->time ? flt_resident_moves_add(&m->processes[process].moves, move) :
				       0;
}

static int by_image(const void *a, const void *b)
{
	const struct flt_resident_ancestor *x = a, *y = b;

	return x->image < y->image ? -1 : x->image > y->image;
}

static int owner_add(struct flt_moment *m, const struct flt_resident_owner *o, uint32_t *out)
{
	const int ret = flt_array_grow((void **)&m->owners, m->owner_count, &m->owner_room,
				       sizeof(*m->owners));

	if (ret)
		return ret;
	*out = m->owner_count;
	m->owners[m->owner_count++] = *o;
	return 0;
}

int flt_moment_begin(struct flt_moment *m)
{
	uint32_t owner;
	size_t i;
	int ret = 0;

	for (i = 0; i < m->count; i++)
		flt_resident_moves_settle(&m->processes[i].moves, &m->processes[i].pages);
	if (m->ancestor_count)
		qsort(m->ancestors, m->ancestor_count, sizeof(*m->ancestors), by_image);
	while (!ret && m->owner_count < __FLT_RESIDENT_NOBODIES)
		ret = owner_add(m, &(struct flt_resident_owner){ 0 }, &owner);
	return ret;
}

static int owner_of(struct flt_moment *m, const struct flt_fault *f, uint32_t place,
		    uint32_t *owner)
{
	const struct flt_resident_owner o = { f->image, f->stack, f->tid, place };
	const uint32_t hash = flt_index_hash((uint64_t)o.image << 32 | o.stack,
					     o.place ^ (uint64_t)o.tid << 40);
	struct flt_index_search s = flt_index_search(hash);
	const struct flt_resident_owner *old;
	int ret;

	while (flt_index_next(&m->owner_index, &s, owner)) {
		old = &m->owners[*owner];
		if (old->image == o.image && old->stack == o.stack && old->tid == o.tid &&
		    old->place == o.place)
			return 0;
	}
	ret = owner_add(m, &o, owner);
	return ret ? ret : flt_index_add(&m->owner_index, hash, *owner);
}

/* Return the index of the first ancestor with this image or a higher one. */
static uint32_t first_of(const struct flt_moment *m, uint32_t image)
{
	uint32_t low = 0, high = m->ancestor_count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (m->ancestors[mid].image < image)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool flt_moment_needs(const struct flt_moment *m, const struct flt_fault *f)
{
	const uint32_t i = first_of(m, f->image);

	return f->time <= m->time && i < m->ancestor_count && m->ancestors[i].image == f->image;
}

/* A fault that explains pages of a process. */
struct cause {
	const struct flt_fault *fault;
	uint32_t owner;
	bool inherited;		/* of an ancestor, before the fork */
};

/* Give pages to a fault whose pages went to an address. */
static void give(struct flt_resident_process *p, const struct cause *c, uint64_t address,
		 uint8_t kind)
{
	struct flt_fault moved = *c->fault;

	if (c->inherited && flt_resident_alone(&p->pages, address))
		return;
	moved.address = address;
	moved.kind = kind;
	flt_resident_fault(&p->pages, &moved, c->owner);
}

/* A huge page may have been split, and its parts moved to other places. */
static void explain_parts(struct flt_resident_process *p, const struct cause *c)
{
	const struct flt_page_size *page = &p->pages.page;
	const uint64_t first = (c->fault->address >> page->shift) & ~(uint64_t)(page->huge - 1);
	uint64_t address;
	uint32_t i;

	for (i = 0; i < page->huge; i++) {
		address = (first + i) << page->shift;
		if (flt_resident_moves_follow(&p->moves, c->fault->time, &address))
			give(p, c, address, FLT_KIND_UFFD);	/* one page of any memory */
	}
}

/* Give pages of a process to a fault. */
static void explain(struct flt_resident_process *p, const struct cause *c)
{
	const struct flt_fault *f = c->fault;
	uint64_t address = f->address;
	bool is_there = true;

	if (p->moves.count)
		is_there = flt_resident_moves_follow(&p->moves, f->time, &address);
	if (f->kind == FLT_KIND_HUGE && (!is_there || address != f->address))
		explain_parts(p, c);
	else if (is_there)
		give(p, c, address, f->kind);
}

int flt_moment_fault(struct flt_moment *m, const struct flt_fault *f, uint32_t place)
{
	const struct flt_resident_ancestor *a;
	uint32_t owner = 0, i;
	int ret;

	if (f->time > m->time)
		return 0;
	for (i = first_of(m, f->image); i < m->ancestor_count; i++) {
		a = &m->ancestors[i];
		if (a->image != f->image)
			break;
		if (f->time >= a->until)
			continue;
		ret = owner ? 0 : owner_of(m, f, place, &owner);
		if (ret)
			return ret;
		explain(&m->processes[a->process],
			&(struct cause){ f, owner, a->until != UINT64_MAX });
	}
	return 0;
}

void flt_moment_end(struct flt_moment *m, bool complete)
{
	size_t i;

	for (i = 0; complete && i < m->count; i++)
		if (!m->processes[i].late)
			flt_resident_collapsed(&m->processes[i].pages, FLT_RESIDENT_COLLAPSE);
}
