// SPDX-License-Identifier: GPL-2.0-or-later
/* tree.c - write trees of callers and callees, as text or JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/report.h"
#include "model/recording/strings.h"
#include "model/code/tree.h"
#include "text/escape.h"
#include "view/table/fit.h"
#include "view/table/json.h"
#include "view/table/table.h"

#define NAME_BYTES_MAX (64u << 20)
/* The largest indentation in columns. */
#define INDENT_MAX 60
/* The columns before the indentation, and those of a name on a narrow terminal. */
#define NUMBERS_WIDTH 29
#define NAME_LEAST 24

static bool shown(const struct flt_tree *t, uint32_t node, uint64_t least)
{
	return flt_counts_all(&t->nodes[node].total) >= least;
}

/* Return the next node, depth first, or 0. descend: include the children of the node. */
static uint32_t walk(const struct flt_tree *t, uint32_t at, bool descend)
{
	if (descend && t->nodes[at].child)
		return t->nodes[at].child;
	while (at && !t->nodes[at].next)
		at = t->nodes[at].parent;
	return at ? t->nodes[at].next : 0;
}

static void tree_text(const struct flt_tree *t, uint64_t least, bool inverted, size_t room)
{
	uint64_t all = flt_counts_all(&t->nodes[0].total), n;
	const struct flt_tree_node *node;
	uint32_t at = t->nodes[0].child;
	int indent, deepest = INDENT_MAX;
	char name[4096];

	if (room && room < NUMBERS_WIDTH + INDENT_MAX + NAME_LEAST)
		deepest = room > NUMBERS_WIDTH + NAME_LEAST ?
				  (int)(room - NUMBERS_WIDTH - NAME_LEAST) : 0;
	snprintf(name, sizeof(name), "%7s %9s %9s  FUNCTION, AND %s", "%", "FAULTS",
		 inverted ? "ALLOC" : "SELF", inverted ? "ITS CALLERS" : "WHAT IT CALLED");
	flt_fit_text(name, room ? room : SIZE_MAX);
	printf("%s\n", name);
	while (at) {
		node = &t->nodes[at];
		if (!shown(t, at, least)) {
			at = walk(t, at, false);
			continue;
		}
		n = flt_counts_all(&node->total);
		flt_escape_text(name, sizeof(name), node->name, strlen(node->name));
		indent = (int)node->depth * 2 - 2 < deepest ? (int)node->depth * 2 - 2 : deepest;
		if (room > NUMBERS_WIDTH + (size_t)indent)
			flt_fit_text(name, room - NUMBERS_WIDTH - (size_t)indent);
		printf("%7.2f %9" PRIu64 " %9" PRIu64 "  %*s%s\n",
		       all ? 100.0 * (double)n / (double)all : 0, n,
		       inverted ? flt_counts_touch(&node->total, FLT_TOUCH_FIRST) :
				  flt_counts_all(&node->self), indent, "", name);
		at = walk(t, at, true);
	}
}

/*
 * Write one JSON object per node, with the number of the parent. Nested objects would be too
 * deep for most JSON parsers.
 */
static void tree_rows(const struct flt_tree *t, uint64_t least)
{
	const struct flt_tree_node *node;
	uint32_t at = t->nodes[0].child;
	struct flt_json json;

	flt_json_init(&json, stdout);
	while (at) {
		node = &t->nodes[at];
		if (!shown(t, at, least)) {
			at = walk(t, at, false);
			continue;
		}
		flt_json_open_object(&json, NULL);
		flt_json_u64(&json, "id", at);
		flt_json_u64(&json, "parent", node->parent);
		flt_json_u64(&json, "depth", node->depth);
		flt_json_string(&json, "function", node->name);
		if (node->object)
			flt_json_string(&json, "object", node->object);
		flt_json_u64(&json, "faults", flt_counts_all(&node->total));
		flt_json_u64(&json, "self", flt_counts_all(&node->self));
		flt_json_u64(&json, "alloc", flt_counts_touch(&node->total, FLT_TOUCH_FIRST));
		flt_json_u64(&json, "refault", flt_counts_touch(&node->total, FLT_TOUCH_AGAIN));
		flt_json_close_object(&json);
		flt_json_end_line(&json);
		at = walk(t, at, true);
	}
}

int flt_report_tree(struct flt_report *r)
{
	struct flt_tree_setup setup = {
		.inverted = r->args->callers, .processes = !r->args->callers,
	};
	struct flt_strings *strings = flt_strings_new(NAME_BYTES_MAX);
	struct flt_tree tree;
	uint64_t least;
	int err;

	if (!strings)
		return flt_command_fail(r->run->command, NULL, -ENOMEM);
	err = flt_tree_build(&tree, &setup, r->load.rec, r->symbols, strings, &r->group);
	flt_report_erase_progress(r);
	if (!err)
		err = flt_tree_sort(&tree, true);
	if (!err) {
		least = flt_counts_all(&tree.nodes[0].total) * r->args->min_percent / 100;
		if (r->args->style.format == FLT_FORMAT_JSON)
			tree_rows(&tree, least);
		else
			tree_text(&tree, least, r->args->callers,
				  r->args->style.wide ? 0 : flt_terminal_room(stdout));
	}
	flt_tree_free(&tree);
	flt_strings_free(strings);
	return err ? flt_command_fail(r->run->command, NULL, err) : FLT_EXIT_DONE;
}
