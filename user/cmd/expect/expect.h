/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect.h - the parts of 'fltctl expect'. */
#ifndef FLT_CMD_EXPECT_H
#define FLT_CMD_EXPECT_H

#include "capture/capture.h"
#include "cmd/expect/marks.h"
#include "model/budget/budget.h"
#include "model/budget/verdict.h"
#include "model/code/symbols.h"
#include "model/recording/group.h"
#include "timeline/load.h"
#include "view/table/table.h"

/* A rule is broken. */
#define EXPECT_EXIT_BROKEN 6

enum expect_layout { EXPECT_ROWS = -1, EXPECT_TAP, EXPECT_JUNIT };

struct expect_args {
	struct flt_list rules;	/* of -e */
	int layout;		/* enum expect_layout */
	uint64_t rows;		/* broken rows per rule; 0: all */
	bool user;
	int unwind;		/* enum flt_unwind_by, or -1: as the rules need */
	uint64_t max_stack, subbuf_size, subbufs;
	int engine;		/* enum flt_capture_engine */
	bool update;
	uint64_t runs, slack;
	struct flt_symbols_setup symbols;
	struct flt_table_style style;
	const char *output;
};

/* A fault of the command. */
struct expect_fault {
	uint64_t time, address;
	uint32_t image, tid;
	uint32_t stack;		/* index in struct expect_run.stacks */
	uint32_t flags;		/* FLT_FAULT_* */
	uint8_t kind;
};

/* What a run of the command did. */
struct expect_run {
	struct flt_run *run;
	const struct expect_args *args;
	const struct flt_budget *budget;
	struct expect_marks marks;
	struct flt_load load;
	struct flt_symbols *symbols;
	struct expect_fault *faults;	/* in order of time */
	size_t count, room;
	struct expect_stack *stacks;
	uint32_t stack_count, stack_room;
	struct flt_index stack_index;
	bool *user_seen;	/* per image: a fault in user mode was read */
	uint32_t image_room;
	const char *engine;	/* "module" or "perf" */
	bool kernel;		/* faults in kernel mode are known */
	int command_status;	/* exit status of the command */
	bool unobserved;	/* the command did not run, or nothing was recorded */
	char lost[256];	/* why the run is incomplete, or "" */
};

/* A stack: its innermost place, and its callers in the recording. */
struct expect_stack {
	uint32_t image, place, callers;
	uint32_t cut;		/* FLT_FAULT_CUT_* */
	bool before_user;	/* a fault of the kernel, before the image ran in user mode */
};

/* run.c: run the command and read its faults. Return 0 or the exit status, which is reported. */
int expect_run(struct expect_run *r, struct flt_run *run, const struct expect_args *args,
	       const struct flt_budget *budget);
void expect_run_free(struct expect_run *r);

/* A group of faults that exceed the limit of a rule. */
struct expect_row {
	size_t first;		/* index of the first fault */
	uint64_t count;
};

struct expect_result {
	const struct flt_rule *rule;
	enum flt_budget_verdict verdict;
	uint64_t count, undecided;
	char why[256];		/* why the count is incomplete, or "" */
	struct expect_row *rows;	/* in order of the first fault */
	size_t row_count;
};

/* judge.c: judge all rules. Return -ENOMEM. Free the results also after an error. */
int expect_judge(struct expect_run *r, struct expect_result **results);
void expect_results_free(struct expect_result *results, size_t count);

/* stack.c */
enum expect_found { EXPECT_ABSENT = 1, EXPECT_PRESENT, EXPECT_UNDECIDED };
/* Look for a function in a stack. Return an enum expect_found, or -ENOMEM. */
int expect_stack_has(struct expect_run *r, const struct expect_stack *stack, const char *pattern);
/* Return the frames as lines, innermost first, or NULL without memory. The caller frees them. */
char *expect_stack_lines(struct expect_run *r, const struct expect_stack *stack);

/* report.c, tap.c, junit.c: write the results. Return 0 or -errno. */
int expect_report(struct expect_run *r, const struct expect_result *results, FILE *out);
int expect_tap(struct expect_run *r, const struct expect_result *results, FILE *out);
int expect_junit(struct expect_run *r, const struct expect_result *results, FILE *out);
/* Write a row of a broken rule as text, each line after the indent. */
int expect_row_text(struct expect_run *r, const struct expect_row *row, const char *indent,
		    FILE *out);

/* update.c: run the command several times, and write limits into the file. Return the status. */
int expect_update(struct flt_run *run, const struct expect_args *args, const char *path);

/*
 * expect.c: read the rules of the file, which may be NULL, and of -e. The caller frees text and
 * budget also after an error. Report errors. Return the exit status.
 */
int expect_read(struct flt_run *run, const char *path, struct flt_budget *budget, char **text,
		size_t *length);

#endif
