/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - call stacks merged into a tree, from the outside in (flame graph,
 * callees) or from the inside out (callers). Inlined functions are frames.
 */
#ifndef FLT_MODEL_TREE_H
#define FLT_MODEL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/index.h"
#include "model/recording/group.h"
#include "model/code/symbols.h"

struct flt_tree_node {
	const char *name;	/* interned: equal names have equal addresses */
	const char *object;	/* NULL: a process, not code */
	uint32_t parent;
	uint32_t child, next;	/* 0: none; children are sorted by flt_tree_sort() */
	uint32_t depth;
	struct flt_counts self, total;
};

struct flt_tree {
	struct flt_tree_node *nodes;	/* [0] is the root: everything */
	uint32_t count, room;
	struct flt_index index;	/* all nodes but the root */
};

struct flt_tree_setup {
	bool inverted;		/* callers */
	bool processes;		/* a level of "comm (pid)" below the root; not if inverted */
};

/*
 * From entries whose keys are (image, stack, place). A frame deeper than
 * FLT_STACK_DEPTH_MAX is left out. -ENOMEM, -E2BIG.
 */
int flt_tree_build(struct flt_tree *tree, const struct flt_tree_setup *setup, const struct flt_recording *rec,
		   struct flt_symbols *symbols, struct flt_strings *strings, const struct flt_group *group);
/* Children by name, or the largest first. */
int flt_tree_sort(struct flt_tree *tree, bool by_size);
void flt_tree_free(struct flt_tree *tree);
uint32_t flt_tree_depth(const struct flt_tree *tree);

#endif
