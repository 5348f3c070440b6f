/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h - one rule of a fault budget, such as
 *
 *	minor(process_batch, thread=io-*) <= 10 after mark "ready"
 *
 * A rule counts the faults of one counter, of the threads and functions that it selects, between
 * two marks, and compares the count with a limit.
 */
#ifndef FLT_BUDGET_RULE_H
#define FLT_BUDGET_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flt_file.h"
#include "text/errmsg.h"

/* The counters of the kernel and of failures. The kinds of faults follow. */
enum flt_budget_counter {
	FLT_BUDGET_FAULTS = 0,	/* minor + major */
	FLT_BUDGET_MINOR,
	FLT_BUDGET_MAJOR,
	FLT_BUDGET_FAILED,	/* ended with a signal or an error; not in the other counters */
	FLT_BUDGET_REFAULT,	/* the page came back from swap */
	FLT_BUDGET_KIND,	/* + enum flt_kind */
};

enum flt_budget_op {
	FLT_BUDGET_EQUAL = 0,
	FLT_BUDGET_LESS,
	FLT_BUDGET_AT_MOST,
	FLT_BUDGET_MORE,
	FLT_BUDGET_AT_LEAST,
};

enum flt_mark_type {
	FLT_MARK_NONE = 0,
	FLT_MARK_CALL,		/* flt_mark() of flt_mark.h */
	FLT_MARK_LINE,		/* a line of standard output */
	FLT_MARK_SIGNAL,	/* a signal to fltctl */
};

/* A moment of the run, from which or until which a rule counts. */
struct flt_mark {
	enum flt_mark_type type;
	char *name;		/* of the call, or an extended regular expression of the line */
	int signal;
};

struct flt_rule {
	char *text;		/* the rule without comment and spaces around it */
	const char *file;	/* of the budget; not owned */
	uint32_t line;
	enum flt_budget_counter counter;
	enum flt_budget_op op;
	uint64_t limit;
	/* Patterns as of a shell; NULL: all. */
	char *process, *thread, *function;
	struct flt_mark after, before;
	/* The bytes of the text of the budget that contain operator and limit. */
	size_t limit_at, limit_length;
};

void flt_rule_free(struct flt_rule *rule);

/* Return the name of a counter. */
const char *flt_budget_counter_name(enum flt_budget_counter counter);
/* Set *counter to the counter of a name. Return false if there is none. */
bool flt_budget_counter_find(const char *name, size_t length, enum flt_budget_counter *counter);
const char *flt_budget_op_name(enum flt_budget_op op);
/* Return true if only the module reports what the rule counts. */
bool flt_rule_needs_module(const struct flt_rule *rule);
/* Return true if the counter of the rule counts a fault with these flags (FLT_FAULT_*) and kind. */
bool flt_rule_counts(const struct flt_rule *rule, uint32_t flags, enum flt_kind kind);

/*
 * Return true if a name matches the pattern of a rule. The name of a C++ function also matches
 * without its arguments, and the names of parts and copies that a compiler makes of a function,
 * such as f.part.0, match as the function.
 */
bool flt_rule_names(const char *pattern, const char *name);

#endif
