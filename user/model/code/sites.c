// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/code/sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int flt_sites_key(enum flt_by by, struct flt_recording *rec, const struct flt_fault *f,
		  struct flt_group_key *key)
{
	const uint32_t shift = rec->page.shift;
	const struct flt_map *map;
	uint32_t place;
	int err;

	*key = (struct flt_group_key){ .image = f->image };
	switch (by) {
	case FLT_BY_THREAD:
		key->id = f->tid;
		return 0;
	case FLT_BY_CGROUP:
		return 0;
	case FLT_BY_VMA:
	case FLT_BY_ADDRESS:
		map = flt_recording_map(rec, f->image, f->address);
		key->id = map ? (uint32_t)(map - rec->maps) + 1 : 0;
		key->at = by == FLT_BY_ADDRESS ? f->address >> shift << shift : 0;
		return 0;
	default:
		err = flt_recording_place(rec, f->image, f->ip, &place);
		key->id = f->stack;
		key->at = place;
		return err;
	}
}

/* Set file and line of a function of the recorder, such as malloc(), to those of its call. */
static int row_call(struct flt_site *row, const struct flt_recording *rec,
		    struct flt_symbols *symbols, const struct flt_group_entry *e)
{
	const struct flt_frames *f;
	uint32_t caller;

	if (!flt_recording_stack(rec, e->key.image, e->key.id, &caller, NULL, 1))
		return 0;
	f = flt_symbols_at(symbols, caller);
	if (!f)
		return -ENOMEM;
	row->file = f->frame[0].file;
	row->line = f->frame[0].line;
	return 0;
}

static int row_code(struct flt_site *row, enum flt_by by, const struct flt_recording *rec,
		    struct flt_symbols *symbols, const struct flt_group_entry *e)
{
	uint32_t place = (uint32_t)e->key.at;
	const struct flt_frames *f = flt_symbols_at(symbols, place);

	if (!f)
		return -ENOMEM;
	row->object = f->object;
	if (by == FLT_BY_OBJECT)
		return 0;
	row->function = f->frame[0].function;
	if (f->count > 1)
		row->within = f->frame[f->count - 1].function;
	if (by == FLT_BY_FUNCTION)
		return 0;
	if (flt_recording_hides(rec, place))
		return row_call(row, rec, symbols, e);
	row->file = f->frame[0].file;
	row->line = f->frame[0].line;
	return 0;
}

static int row_make(struct flt_site *row, enum flt_by by, const struct flt_recording *rec,
		    struct flt_symbols *symbols, const struct flt_group_entry *e)
{
	const struct flt_image *image = flt_recording_image(rec, e->key.image);
	const struct flt_map *map;

	memset(row, 0, sizeof(*row));
	row->pid = image ? image->pid : 0;
	row->comm = image ? image->comm : "";
	row->counts = e->counts;
	row->most = flt_counts_all(&e->counts);
	switch (by) {
	case FLT_BY_THREAD:
		row->tid = e->key.id;
		row->comm = flt_recording_comm(rec, e->key.image, e->key.id);
		return 0;
	case FLT_BY_CGROUP:
		row->cgroup = image ? image->cgroup : NULL;
		return 0;
	case FLT_BY_VMA:
	case FLT_BY_ADDRESS:
		map = e->key.id ? &rec->maps[e->key.id - 1] : NULL;
		row->object = !map ? "[unknown]" : map->name[0] ? map->name : "[anon]";
		row->address = by == FLT_BY_ADDRESS ? e->key.at : map ? map->start : 0;
		return 0;
	default:
		return row_code(row, by, rec, symbols, e);
	}
}

static int pointer_order(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

/* Names are interned, so equal names have equal addresses. */
static int row_order(const void *a, const void *b)
{
	const struct flt_site *x = a, *y = b;
	int order;

	order = pointer_order(x->function, y->function);
	if (!order)
		order = pointer_order(x->object, y->object);
	if (!order)
		order = pointer_order(x->file, y->file);
	if (!order)
		order = pointer_order(x->cgroup, y->cgroup);
	if (!order && x->line != y->line)
		order = x->line < y->line ? -1 : 1;
	if (!order && x->address != y->address)
		order = x->address < y->address ? -1 : 1;
	if (!order && x->tid != y->tid)
		order = x->tid < y->tid ? -1 : 1;
	/* Code is merged over processes; memory and threads are not. */
	if (!order && !x->function && (x->tid || x->address) && x->pid != y->pid)
		order = x->pid < y->pid ? -1 : 1;
	if (!order && x->entry != y->entry)
		order = x->entry < y->entry ? -1 : 1;
	return order;
}

static bool row_same(const struct flt_site *x, const struct flt_site *y)
{
	return x->function == y->function && x->object == y->object && x->file == y->file &&
	       x->line == y->line && x->address == y->address && x->tid == y->tid &&
	       x->cgroup == y->cgroup &&
	       (x->function || !(x->tid || x->address) || x->pid == y->pid);
}

static int size_order(const void *a, const void *b)
{
	const struct flt_site *x = a, *y = b;
	uint64_t n = flt_counts_all(&x->counts), m = flt_counts_all(&y->counts);
	int order;

	if (n != m)
		return n > m ? -1 : 1;
	order = strcmp(x->function ? x->function : "", y->function ? y->function : "");
	if (!order && x->line != y->line)
		order = x->line < y->line ? -1 : 1;
	if (!order && x->address != y->address)
		order = x->address < y->address ? -1 : 1;
	if (!order && x->tid != y->tid)
		order = x->tid < y->tid ? -1 : 1;
	if (!order && x->entry != y->entry)
		order = x->entry < y->entry ? -1 : 1;
	return order;
}

/*
 * Keep the process with more faults. This is best effort, because the entries of a process are
 * not always adjacent.
 */
static void process_merge(struct flt_site *to, const struct flt_site *from)
{
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

int flt_sites_build(struct flt_sites *rows, enum flt_by by, const struct flt_recording *rec,
		    struct flt_symbols *symbols, const struct flt_group *group)
{
	struct flt_site *r, *last;
	uint32_t i;
	size_t kept;
	int err;

	memset(rows, 0, sizeof(*rows));
	if (!group->count)
		return 0;
	rows->rows = malloc(group->count * sizeof(*rows->rows));
	if (!rows->rows)
		return -ENOMEM;
	for (i = 0; i < group->count; i++) {
		err = row_make(&rows->rows[i], by, rec, symbols, &group->entries[i]);
		if (err) {
			flt_sites_free(rows);
			return err;
		}
		rows->rows[i].entry = i;
		flt_counts_sum(&rows->total, &group->entries[i].counts);
	}
	rows->count = group->count;
	if (by != FLT_BY_STACK) {
		qsort(rows->rows, rows->count, sizeof(*rows->rows), row_order);
		for (kept = 1, i = 1; i < rows->count; i++) {
			r = &rows->rows[i];
			last = &rows->rows[kept - 1];
			if (!row_same(r, last)) {
				rows->rows[kept++] = *r;
				continue;
			}
			flt_counts_sum(&last->counts, &r->counts);
			process_merge(last, r);
			if (r->within != last->within)
				last->within = NULL;
		}
		rows->count = kept;
	}
	qsort(rows->rows, rows->count, sizeof(*rows->rows), size_order);
	return 0;
}

void flt_sites_free(struct flt_sites *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}
