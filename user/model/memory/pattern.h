/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern.h - in what order the pages of a region fault.
 *
 * Fed with one fault after the other. A *step* is the way from one fault of a
 * thread to its next. Several threads, and up to four interleaved runs of one
 * thread, are followed at a time, so that two readers side by side are two runs
 * and not noise. What a step is:
 *
 *   forward, backward   to the page next to what the last fault brought in. A file
 *                       fault maps what is cached of a whole window (*around*, 16
 *                       pages as a rule), so there any step within a window's
 *                       length counts, and one exactly as long if it enters the
 *                       window by its first page (backward: its last)
 *   again               to the same page
 *   up, down            any other
 *
 * The order, decided from all steps but those of `again`, the first that fits:
 *
 *   few         fewer than FLT_PATTERN_FEW steps
 *   strided     one distance that is no forward or backward step in FLT_PATTERN_MOST %
 *   forward, backward  in FLT_PATTERN_MOST %
 *   random      up and down in FLT_PATTERN_MOST % together, each in FLT_PATTERN_SIDE %
 *               at least, and no distance in FLT_PATTERN_SIDE %
 *   mixed
 *
 * A reader of every 16th page whose pages all begin a window faults as one that
 * reads all of them: it is called forward. Whether pages fault again is another
 * question, decided from the share of faults that are *refaults* - of a page that
 * was brought in before:
 *
 *   once        at most FLT_PATTERN_ONCE %
 *   thrashing   FLT_PATTERN_THRASH % and more: every page twice is 50 %
 *   some        between
 *
 * The name of a pattern is `thrashing` if pages fault again, else its order; mixed
 * order without refaults is one pass.
 */
#ifndef FLT_MODEL_PATTERN_H
#define FLT_MODEL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLT_PATTERN_FEW 12
#define FLT_PATTERN_MOST 75
#define FLT_PATTERN_SIDE 20
#define FLT_PATTERN_ONCE 5
#define FLT_PATTERN_THRASH 33

struct flt_visit {
	uint64_t page;		/* number of the first page brought in */
	uint32_t thread;
	uint32_t pages;		/* brought in by this fault, 1 or more */
	uint32_t around;	/* length of a fault-around window in pages; 1: none */
	bool refault;
};

enum flt_order {
	FLT_ORDER_FEW = 0,
	FLT_ORDER_FORWARD,
	FLT_ORDER_BACKWARD,
	FLT_ORDER_STRIDED,
	FLT_ORDER_RANDOM,
	FLT_ORDER_MIXED,
};

enum flt_reuse { FLT_REUSE_ONCE = 0, FLT_REUSE_SOME, FLT_REUSE_THRASHING };

struct flt_verdict {
	const char *name;	/* sequential, strided, random, thrashing, one pass, mixed, few */
	enum flt_order order;
	enum flt_reuse reuse;
	int64_t stride;		/* pages; STRIDED only */
	uint64_t steps;		/* without those of `again` */
	unsigned int share;	/* % of steps that the order rests on */
	unsigned int refault_share;	/* % of faults */
};

struct flt_pattern;

/* NULL: no memory. About 1.5 KiB, which does not grow. */
struct flt_pattern *flt_pattern_new(void);
void flt_pattern_free(struct flt_pattern *pattern);

void flt_pattern_add(struct flt_pattern *pattern, const struct flt_visit *touch);
/* NULL is a pattern that nothing was added to. */
struct flt_verdict flt_pattern_classify(const struct flt_pattern *pattern);

const char *flt_order_name(enum flt_order order);
const char *flt_reuse_name(enum flt_reuse reuse);

/*
 * "thrashing, forward", "strided by 16 pages, one pass": the name with what it
 * leaves out. At most size - 1 bytes.
 */
void flt_pattern_describe(const struct flt_verdict *verdict, char *text, size_t size);
/* "97 % of 1024 steps go forward; 50 % of the faults are of pages that faulted before". */
void flt_pattern_evidence(const struct flt_verdict *verdict, char *text, size_t size);

#endif
