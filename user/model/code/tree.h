/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - call stacks merged into a tree: from the outermost function (flame graph, callees), or
 * from the innermost function (callers). Inlined functions are frames.
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
	const char *object;	/* NULL: the node is a process */
	uint32_t parent;
	uint32_t child, next;	/* 0: none; flt_tree_sort() sorts children */
	uint32_t depth;
	struct flt_counts self, total;
};

struct flt_tree {
	struct flt_tree_node *nodes;	/* [0] is the root, the sum */
	uint32_t count, room;
	struct flt_index index;	/* all nodes but the root */
};

struct flt_tree_setup {
	bool inverted;		/* callers */
	bool processes;		/* add a level "comm (pid)" below the root; ignored if inverted */
};

/*
 * Build a tree of a group whose keys are (image, stack, place). Frames deeper than
 * FLT_STACK_DEPTH_MAX are left out. Return -ENOMEM, -E2BIG.
 */
int flt_tree_build(struct flt_tree *tree, const struct flt_tree_setup *setup,
		   const struct flt_recording *rec, struct flt_symbols *symbols,
		   struct flt_strings *strings, const struct flt_group *group);
/* Sort children by name, or by size with the largest first. */
int flt_tree_sort(struct flt_tree *tree, bool by_size);
void flt_tree_free(struct flt_tree *tree);
uint32_t flt_tree_depth(const struct flt_tree *tree);

#endif
