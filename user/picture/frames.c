// SPDX-License-Identifier: GPL-2.0-or-later
#include "picture/frames.h"

#include <errno.h>
#include <stdlib.h>

#include "model/code/tree.h"

/* List frames depth first. Frames that are left out leave a gap at the end of their parent. */
static size_t tree_flatten(const struct flt_tree *t, uint64_t least,
			   struct flt_flame_frame *frames, uint64_t *starts, uint64_t *hidden)
{
	const struct flt_tree_node *node;
	uint32_t at = 0;
	size_t n = 0;
	bool descend;

	starts[0] = 0;
	for (;;) {
		node = &t->nodes[at];
		descend = flt_counts_all(&node->total) >= least;
		if (descend) {
			frames[n++] = (struct flt_flame_frame){
				.name = node->name, .object = node->object,
				.depth = node->depth, .start = starts[node->depth],
				.total = flt_counts_all(&node->total),
				.self = flt_counts_all(&node->self),
				.read = flt_counts_op(&node->total, FLT_OP_READ),
				.write = flt_counts_op(&node->total, FLT_OP_WRITE),
				.exec = flt_counts_op(&node->total, FLT_OP_EXEC),
				.alloc = flt_counts_touch(&node->total, FLT_TOUCH_FIRST),
				.refault = flt_counts_touch(&node->total, FLT_TOUCH_AGAIN),
			};
			starts[node->depth + 1] = starts[node->depth];
			starts[node->depth] += flt_counts_all(&node->total);
		} else {
			++*hidden;
		}
		if (descend && node->child) {
			at = node->child;
			continue;
		}
		while (at && !t->nodes[at].next)
			at = t->nodes[at].parent;
		if (!at)
			return n;
		at = t->nodes[at].next;
	}
}

int flt_picture_frames(const struct flt_recording *rec, struct flt_symbols *symbols,
		       struct flt_strings *strings, const struct flt_group *group, double least,
		       struct flt_flame_frame **frames, size_t *count, uint64_t *hidden)
{
	struct flt_tree_setup setup = { .processes = true };
	struct flt_tree tree;
	uint64_t *starts = NULL;
	int err;

	*frames = NULL;
	*count = *hidden = 0;
	err = flt_tree_build(&tree, &setup, rec, symbols, strings, group);
	if (!err)
		err = flt_tree_sort(&tree, false);
	if (!err) {
		*frames = calloc(tree.count, sizeof(**frames));
		starts = calloc((size_t)flt_tree_depth(&tree) + 2, sizeof(*starts));
		err = *frames && starts ? 0 : -ENOMEM;
	}
	if (!err)
		*count = tree_flatten(&tree,
				      (uint64_t)((double)flt_counts_all(&tree.nodes[0].total) *
						 least), *frames, starts, hidden);
	flt_tree_free(&tree);
	free(starts);
	if (err) {
		free(*frames);
		*frames = NULL;
	}
	return err;
}
