// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/code/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/array.h"
#include "model/recording/strings.h"

#define NODES_MAX (16u << 20)

static uint32_t child_hash(uint32_t parent, const char *name, const char *object)
{
	return flt_index_hash((uintptr_t)name ^ (uint64_t)parent << 40, (uintptr_t)object);
}

static int node_new(struct flt_tree *t, uint32_t parent, const char *name, const char *object,
		    uint32_t *out)
{
	int err;

	if (t->count >= NODES_MAX)
		return -E2BIG;
	err = flt_array_grow((void **)&t->nodes, t->count, &t->room, sizeof(*t->nodes));
	if (err)
		return err;
	memset(&t->nodes[t->count], 0, sizeof(*t->nodes));
	t->nodes[t->count].name = name;
	t->nodes[t->count].object = object;
	t->nodes[t->count].parent = parent;
	t->nodes[t->count].depth = t->count ? t->nodes[parent].depth + 1 : 0;
	*out = t->count++;
	return 0;
}

static int child_get(struct flt_tree *t, uint32_t parent, const char *name, const char *object,
		     uint32_t *out)
{
	uint32_t hash = child_hash(parent, name, object);
	struct flt_index_search s = flt_index_search(hash);
	const struct flt_tree_node *old;
	int err;

	while (flt_index_next(&t->index, &s, out)) {
		old = &t->nodes[*out];
		if (old->parent == parent && old->name == name && old->object == object)
			return 0;
	}
	err = node_new(t, parent, name, object, out);
	if (err)
		return err;
	t->nodes[*out].next = t->nodes[parent].child;
	t->nodes[parent].child = *out;
	return flt_index_add(&t->index, hash, *out);
}

struct builder {
	struct flt_tree *tree;
	const struct flt_counts *counts;
	uint32_t at;
	int err;
};

static void step(struct builder *b, const char *name, const char *object)
{
	if (b->err)
		return;
	b->err = child_get(b->tree, b->at, name, object, &b->at);
	if (!b->err)
		flt_counts_sum(&b->tree->nodes[b->at].total, b->counts);
}

static void place_walk(struct builder *b, struct flt_symbols *symbols, uint32_t place,
		       bool inverted)
{
	const struct flt_frames *f = flt_symbols_at(symbols, place);
	size_t i;

	if (!f) {
		b->err = -ENOMEM;
		return;
	}
	for (i = 0; i < f->count; i++)
		step(b, f->frame[inverted ? i : f->count - 1 - i].function, f->object);
}

static void process_walk(struct builder *b, const struct flt_recording *rec,
			 struct flt_strings *strings, uint32_t image)
{
	const struct flt_image *i = flt_recording_image(rec, image);
	const char *name;
	char text[64];

	snprintf(text, sizeof(text), "%.40s (%u)", i && i->comm[0] ? i->comm : "process",
		 i ? i->pid : 0);
	name = flt_strings_add(strings, text);
	if (!name)
		b->err = -ENOMEM;
	step(b, name, NULL);
}

int flt_tree_build(struct flt_tree *t, const struct flt_tree_setup *setup,
		   const struct flt_recording *rec, struct flt_symbols *symbols,
		   struct flt_strings *strings, const struct flt_group *group)
{
	uint32_t places[FLT_STACK_DEPTH_MAX], root, i;
	const struct flt_group_entry *e;
	struct builder b = { .tree = t };
	size_t n, k;

	memset(t, 0, sizeof(*t));
	b.err = node_new(t, 0, "all", NULL, &root);
	for (i = 0; i < group->count && !b.err; i++) {
		e = &group->entries[i];
		b.at = root;
		b.counts = &e->counts;
		flt_counts_sum(&t->nodes[root].total, &e->counts);
		n = flt_recording_stack(rec, e->key.image, e->key.id, places, NULL,
					FLT_STACK_DEPTH_MAX);
		if (setup->inverted) {
			place_walk(&b, symbols, (uint32_t)e->key.at, true);
			for (k = 0; k < n; k++)
				place_walk(&b, symbols, places[k], true);
			continue;
		}
		if (setup->processes)
			process_walk(&b, rec, strings, e->key.image);
		while (n--)
			place_walk(&b, symbols, places[n], false);
		place_walk(&b, symbols, (uint32_t)e->key.at, false);
		if (!b.err)
			flt_counts_sum(&t->nodes[b.at].self, &e->counts);
	}
	return b.err;
}

struct child {
	uint32_t id;
	uint64_t size;
	const char *name;
};

static int by_size(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct child *)a)->name, ((const struct child *)b)->name);
}

int flt_tree_sort(struct flt_tree *t, bool size)
{
	struct child *list = NULL;
	uint32_t i, c, n, room = 0;

	for (i = 0; i < t->count; i++) {
		for (n = 0, c = t->nodes[i].child; c; c = t->nodes[c].next, n++) {
			if (flt_array_grow((void **)&list, n, &room, sizeof(*list))) {
				free(list);
				return -ENOMEM;
			}
			list[n] = (struct child){ c, flt_counts_all(&t->nodes[c].total),
						  t->nodes[c].name };
		}
		if (n < 2)
			continue;
		qsort(list, n, sizeof(*list), size ? by_size : by_name);
		t->nodes[i].child = list[0].id;
		for (c = 0; c < n; c++)
			t->nodes[list[c].id].next = c + 1 < n ? list[c + 1].id : 0;
	}
	free(list);
	return 0;
}

void flt_tree_free(struct flt_tree *t)
{
	free(t->nodes);
	flt_index_free(&t->index);
	memset(t, 0, sizeof(*t));
}

uint32_t flt_tree_depth(const struct flt_tree *t)
{
	uint32_t i, depth = 0;

	for (i = 0; i < t->count; i++)
		if (t->nodes[i].depth > depth)
			depth = t->nodes[i].depth;
	return depth;
}
