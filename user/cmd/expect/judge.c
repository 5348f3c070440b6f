// SPDX-License-Identifier: GPL-2.0-or-later
/* judge.c - count the faults of each rule, and compare the counts with the limits. */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/expect/expect.h"
#include "model/code/definitions.h"

/* A rule while it is judged. The caches have 0 for what was not looked up yet. */
struct judge {
	struct expect_run *r;
	const struct flt_rule *rule;
	struct expect_result *out;
	struct flt_window window;
	int8_t *function;	/* per stack: enum expect_found */
	int8_t *process;	/* per image: 1 no, 2 yes */
	bool unknown;		/* nothing has a name of the rule */
	uint64_t *past;		/* per stack: 1 + its row; 0: none */
};

static void unmeasured(struct expect_result *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Keep the first reason. */
static void unmeasured(struct expect_result *out, const char *fmt, ...)
{
	va_list ap;

	if (out->why[0])
		return;
	va_start(ap, fmt);
	vsnprintf(out->why, sizeof(out->why), fmt, ap);
	va_end(ap);
}

static int process_matches(struct judge *j, uint32_t image)
{
	const struct flt_image *i;

	if (!j->rule->process)
		return true;
	if (!j->process[image]) {
		i = flt_recording_image(j->r->load.rec, image);
		j->process[image] = i && !fnmatch(j->rule->process, i->comm, 0) ? 2 : 1;
	}
	return j->process[image] == 2;
}

static bool thread_matches(const struct judge *j, const struct expect_fault *f)
{
	return !j->rule->thread ||
	       !fnmatch(j->rule->thread, flt_recording_comm(j->r->load.rec, f->image, f->tid), 0);
}

/* Return an enum expect_found, or -ENOMEM. */
static int function_of(struct judge *j, uint32_t stack)
{
	int found;

	if (!j->rule->function)
		return EXPECT_PRESENT;
	if (!j->function[stack]) {
		found = expect_stack_has(j->r, &j->r->stacks[stack], j->rule->function);
		if (found < 0)
			return found;
		j->function[stack] = (int8_t)found;
	}
	return j->function[stack];
}

/* Return an enum expect_found: whether the rule counts the fault. -ENOMEM. */
static int counts(struct judge *j, const struct expect_fault *f)
{
	if (!flt_window_has(&j->window, f->time) ||
	    !flt_rule_counts(j->rule, f->flags, (enum flt_kind)f->kind) ||
	    !process_matches(j, f->image) || !thread_matches(j, f))
		return EXPECT_ABSENT;
	return function_of(j, f->stack);
}

static int count_faults(struct judge *j)
{
	size_t i;
	int found;

	for (i = 0; i < j->r->count; i++) {
		found = counts(j, &j->r->faults[i]);
		if (found < 0)
			return found;
		j->out->count += found == EXPECT_PRESENT;
		j->out->undecided += found == EXPECT_UNDECIDED;
	}
	return 0;
}

/* Return true if the rule is kept whenever it is kept with more faults. */
static bool only_limits(const struct flt_rule *rule)
{
	return rule->op == FLT_BUDGET_AT_MOST || rule->op == FLT_BUDGET_LESS ||
	       (rule->op == FLT_BUDGET_EQUAL && !rule->limit);
}

/* Set *time to the time of mark i, if the rule has the mark. */
static void place_mark(struct judge *j, const struct flt_mark *m, size_t i, uint64_t *time)
{
	const struct expect_marks *marks = &j->r->marks;
	const bool matters = m == &j->rule->after || !only_limits(j->rule);
	static const char *const types[] = {
		[FLT_MARK_NONE] = "", [FLT_MARK_CALL] = "mark", [FLT_MARK_LINE] = "line",
		[FLT_MARK_SIGNAL] = "signal",
	};

	if (!m->type)
		return;
	*time = marks->times[i];
	/* Faults that came before the reading may have come after the writing. */
	if (marks->late[i] == EXPECT_AFTER_END && matters)
		unmeasured(j->out, "%s \"%s\" was read when the command had ended (end the line "
			   "and flush it)", types[m->type], m->name);
	if (marks->late[i] == EXPECT_HELD_BACK && matters)
		unmeasured(j->out, "%s \"%s\" was read late, because the reader of the output was "
			   "slow (write the output to a file)", types[m->type], m->name);
	if (!*time)
		unmeasured(j->out, "%s \"%s\" never came", types[m->type], m->name);
}

/* Accept a thread of a process that the rule names. */
static int accept_thread(void *arg, uint64_t image, uint64_t tid, const char *name)
{
	struct judge *j = arg;

	(void)tid;
	return !fnmatch(j->rule->thread, name, 0) && process_matches(j, (uint32_t)image);
}

static bool accept_image(void *arg, uint32_t image)
{
	return process_matches(arg, image);
}

static bool accept_function(void *arg, const char *name)
{
	const struct judge *j = arg;

	return flt_rule_names(j->rule->function, name);
}

static void unknown(struct judge *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A name that nothing has may be misspelt. Then a count of 0 is not a result. */
static void unknown(struct judge *j, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!j->out->why[0])
		vsnprintf(j->out->why, sizeof(j->out->why), fmt, ap);
	va_end(ap);
	j->unknown = true;
}

/* Return 1 if a fault of a process that the rule names has the function in its stack. -ENOMEM. */
static int function_faults(struct judge *j)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < j->r->stack_count && ret != EXPECT_PRESENT; i++) {
		if (!process_matches(j, j->r->stacks[i].image))
			continue;
		ret = function_of(j, (uint32_t)i);
		if (ret < 0)
			return ret;
	}
	return ret == EXPECT_PRESENT;
}

/* The names of a rule must occur together: a thread or a function in a process that is named. */
static int check_names(struct judge *j)
{
	const struct flt_recording *rec = j->r->load.rec;
	const struct flt_rule *rule = j->rule;
	const char *of = rule->process ? rule->process : "the command";
	const struct flt_definitions_search search = {
		.rec = rec, .root = j->r->args->symbols.root,
		.in_image = rule->process ? accept_image : NULL,
		.accept = accept_function, .arg = j,
	};
	bool found = !rule->process;
	uint32_t i;
	int ret;

	for (i = 0; !found && i < rec->image_room; i++)
		found = rec->images[i] && process_matches(j, i);
	if (!found)
		unknown(j, "no process has the name '%s'", rule->process);
	if (found && rule->thread && !flt_name_table_each(&rec->comms, accept_thread, j))
		unknown(j, "no thread of %s has the name '%s'", of, rule->thread);
	if (!found || !rule->function)
		return 0;
	ret = function_faults(j);
	if (!ret)
		ret = flt_definitions_have(&search);
	if (!ret)
		unknown(j, "no program or library of %s defines a function '%s' (build it with "
			"-g, and do not strip it)", of, rule->function);
	return ret < 0 ? ret : 0;
}

/* Find the reasons why a rule cannot be measured. Return false if its count means nothing. */
static bool check_source(struct judge *j)
{
	const struct expect_run *r = j->r;
	const size_t mark = 2 * (size_t)(j->rule - r->budget->rules);
	bool usable = true;

	if (flt_rule_needs_module(j->rule) && strcmp(r->engine, "module")) {
		unmeasured(j->out, "'%s' needs the module flt, because %s events have no kinds "
			   "(load it as root: modprobe flt)",
			   flt_budget_counter_name(j->rule->counter), r->engine);
		usable = false;
	}
	place_mark(j, &j->rule->after, mark, &j->window.from);
	place_mark(j, &j->rule->before, mark + 1, &j->window.until);
	if (j->rule->after.type && j->rule->before.type && !j->out->why[0] &&
	    j->window.until <= j->window.from)
		unmeasured(j->out, "\"%s\" came before \"%s\"", j->rule->before.name,
			   j->rule->after.name);
	if (j->out->why[0])
		return false;
	if (!r->kernel && !r->args->user)
		unmeasured(j->out, "faults in system calls are not visible without CAP_PERFMON "
			   "(run as root, or count faults in user mode with --user)");
	if (r->lost[0])
		unmeasured(j->out, "%s", r->lost);
	return usable;
}

/* List the faults past the limit, by stack. */
static int list_rows(struct judge *j)
{
	const uint64_t most = flt_budget_most(j->rule);
	struct expect_result *out = j->out;
	struct expect_row *more;
	uint64_t n = 0;
	uint32_t stack;
	size_t i;

	for (i = 0; i < j->r->count && out->count > most; i++) {
		if (counts(j, &j->r->faults[i]) != EXPECT_PRESENT || ++n <= most)
			continue;
		stack = j->r->faults[i].stack;
		if (!j->past[stack]) {
			more = reallocarray(out->rows, out->row_count + 1, sizeof(*more));
			if (!more)
				return -ENOMEM;
			out->rows = more;
			out->rows[out->row_count++] = (struct expect_row){ i, 0 };
			j->past[stack] = out->row_count;
		}
		out->rows[j->past[stack] - 1].count++;
	}
	return 0;
}

static int judge_rule(struct judge *j)
{
	struct expect_result *out = j->out;
	const char *missing;
	uint64_t most;
	int err;

	out->verdict = FLT_BUDGET_UNMEASURED;
	if (!check_source(j))
		return 0;
	err = count_faults(j);
	if (!err)
		err = check_names(j);
	if (err)
		return err;
	/* Both steps above read symbols. */
	if (j->rule->function && flt_symbols_missing(j->r->symbols, &missing))
		unmeasured(out, "cannot read the symbols of %s, removed or changed since the run",
			   missing);
	most = out->why[0] ? ~0ull : out->count + out->undecided;
	out->verdict = j->unknown ? FLT_BUDGET_UNMEASURED :
				    flt_budget_judge(j->rule, out->count, most);
	if (out->undecided)
		unmeasured(out, "%" PRIu64 " more faults have truncated stacks that may contain "
			   "%s (try a larger --max-stack)", out->undecided, j->rule->function);
	return out->verdict == FLT_BUDGET_BROKEN ? list_rows(j) : 0;
}

int expect_judge(struct expect_run *r, struct expect_result **results)
{
	struct expect_result *out = calloc(r->budget->count + 1, sizeof(*out));
	size_t i;
	int err = 0;

	*results = out;
	for (i = 0; out && !err && i < r->budget->count; i++) {
		struct judge j = {
			.r = r, .rule = &r->budget->rules[i], .out = &out[i],
			.function = calloc(r->stack_count + 1, 1),
			.process = calloc(r->load.rec->image_room + 1, 1),
			.past = calloc(r->stack_count + 1, sizeof(*j.past)),
		};

		out[i].rule = j.rule;
		err = j.function && j.process && j.past ? judge_rule(&j) : -ENOMEM;
		free(j.function);
		free(j.process);
		free(j.past);
	}
	return out ? err : -ENOMEM;
}

void expect_results_free(struct expect_result *results, size_t count)
{
	size_t i;

	for (i = 0; results && i < count; i++)
		free(results[i].rows);
	free(results);
}
