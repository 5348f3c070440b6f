/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse.h - the grammar of a rule, for budget.c. */
#ifndef FLT_BUDGET_PARSE_H
#define FLT_BUDGET_PARSE_H

#include "model/budget/rule.h"

/*
 * Parse a rule without comment. rule->file and rule->line are set, for the message. Set limit_at
 * from the beginning of the text. Return 0, -ENOMEM, or -EINVAL with a message. The caller frees
 * the rule in any case.
 */
int budget_parse_rule(struct flt_rule *rule, const char *text, size_t length,
		      struct flt_errmsg *e);

#endif
