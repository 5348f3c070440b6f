// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/budget/rule.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/filter.h"

#define NAME_BYTES 1024

void flt_rule_free(struct flt_rule *r)
{
	free(r->text);
	free(r->process);
	free(r->thread);
	free(r->function);
	free(r->after.name);
	free(r->before.name);
	*r = (struct flt_rule){ 0 };
}

static const char *const counter_names[FLT_BUDGET_KIND] = {
	[FLT_BUDGET_FAULTS] = "faults",
	[FLT_BUDGET_MINOR] = "minor",
	[FLT_BUDGET_MAJOR] = "major",
	[FLT_BUDGET_FAILED] = "failed",
	[FLT_BUDGET_REFAULT] = "refault",
};

const char *flt_budget_counter_name(enum flt_budget_counter counter)
{
	if (counter < FLT_BUDGET_KIND)
		return counter_names[counter];
	return flt_fault_filter_kind_name(counter - FLT_BUDGET_KIND);
}

bool flt_budget_counter_find(const char *name, size_t length, enum flt_budget_counter *counter)
{
	const char *known;
	unsigned int i;

	for (i = 0; i < FLT_BUDGET_KIND + (unsigned int)__FLT_KIND_MAX; i++) {
		known = flt_budget_counter_name(i);
		if (strlen(known) == length && !memcmp(known, name, length)) {
			*counter = i;
			return true;
		}
	}
	return false;
}

const char *flt_budget_op_name(enum flt_budget_op op)
{
	static const char *const names[] = {
		[FLT_BUDGET_EQUAL] = "==",
		[FLT_BUDGET_LESS] = "<",
		[FLT_BUDGET_AT_MOST] = "<=",
		[FLT_BUDGET_MORE] = ">",
		[FLT_BUDGET_AT_LEAST] = ">=",
	};

	return names[op];
}

bool flt_rule_needs_module(const struct flt_rule *r)
{
	return r->counter > FLT_BUDGET_MAJOR;
}

bool flt_rule_counts(const struct flt_rule *r, uint32_t flags, enum flt_kind kind)
{
	if (flags & FLT_FAULT_FAILED)
		return r->counter == FLT_BUDGET_FAILED;
	switch (r->counter) {
	case FLT_BUDGET_FAULTS:
		return true;
	case FLT_BUDGET_MINOR:
		return !(flags & FLT_FAULT_MAJOR);
	case FLT_BUDGET_MAJOR:
		return flags & FLT_FAULT_MAJOR;
	case FLT_BUDGET_FAILED:
		return false;
	case FLT_BUDGET_REFAULT:
		return kind == FLT_KIND_SWAP;
	default:
		return (unsigned int)kind == r->counter - FLT_BUDGET_KIND;
	}
}

bool flt_rule_names(const char *pattern, const char *name)
{
	char bare[NAME_BYTES];
	size_t length;

	if (!fnmatch(pattern, name, 0))
		return true;
	/* The arguments of C++, or the suffix that marks a part or copy: f.part.0, f.cold. */
	length = strcspn(name, "(.");
	if (!length || !name[length] || length >= sizeof(bare))
		return false;
	memcpy(bare, name, length);
	bare[length] = '\0';
	return !fnmatch(pattern, bare, 0);
}
