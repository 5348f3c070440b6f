/* SPDX-License-Identifier: GPL-2.0-or-later */
/* budget.h - the rules of a budget: parse its text, and write new limits into the text. */
#ifndef FLT_BUDGET_H
#define FLT_BUDGET_H

#include <stdio.h>

#include "model/budget/rule.h"

/* All zero: no rules. */
struct flt_budget {
	struct flt_rule *rules;
	size_t count, room;
};

void flt_budget_free(struct flt_budget *budget);

/*
 * Add the rules of a text: one rule per line, comments from '#' to the end of the line. file is
 * the name in messages, which must outlive the budget; first: the number of the first line. Return
 * 0, -ENOMEM, or -EINVAL: e names file, line, the word and the remedy.
 */
int flt_budget_parse(struct flt_budget *budget, const char *text, size_t length, const char *file,
		     uint32_t first, struct flt_errmsg *e);

/*
 * Write the text of a budget with other operators and limits. limits has a limit per rule of the
 * text; ~0: keep the rule.
 */
void flt_budget_rewrite(const struct flt_budget *budget, const char *text, size_t length,
			const uint64_t *limits, FILE *out);

#endif
