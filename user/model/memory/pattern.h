/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern.h - the order in which the pages of a region fault.
 *
 * A *step* is the distance from one fault of a thread to its next. Several threads, and up to
 * four interleaved runs of one thread, are tracked at the same time. Two streams that one thread
 * reads in turn are therefore two sequential runs, not random access. The kinds of steps:
 *
 *   forward, backward   to the page next to the pages of the last fault. A fault on a file maps
 *                       all cached pages of a window (*around*, usually 16 pages). So a step on a
 *                       file counts if it is shorter than a window, or as long as a window and
 *                       to the first page of a window (backward: the last page)
 *   again               to the same page
 *   up, down            all other steps
 *
 * The order is decided from all steps except `again`. The first match applies:
 *
 *   few                fewer than FLT_PATTERN_FEW steps
 *   strided            FLT_PATTERN_MOST % have the same distance, which is neither a forward nor
 *                      a backward step
 *   forward, backward  FLT_PATTERN_MOST % are such steps
 *   random             FLT_PATTERN_MOST % are up or down, at least FLT_PATTERN_SIDE % each, and
 *                      no distance has FLT_PATTERN_SIDE %
 *   mixed              all other orders
 *
 * A program that reads every 16th page, each the first of a window, causes the same faults as one
 * that reads all pages. Its order is forward.
 *
 * Reuse is decided from the share of *refaults*: faults on pages that were brought in before.
 *
 *   once        at most FLT_PATTERN_ONCE %
 *   thrashing   at least FLT_PATTERN_THRASH %; touching every page twice makes 50 %
 *   some        between the two
 *
 * The name of a pattern is `thrashing` if that is its reuse, else its order. Mixed order without
 * refaults is `one pass`.
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
	uint32_t pages;		/* pages brought in by this fault, at least 1 */
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
	int64_t stride;		/* in pages; FLT_ORDER_STRIDED only */
	uint64_t steps;		/* without steps of kind `again` */
	unsigned int share;	/* % of steps that agree with the order */
	unsigned int refault_share;	/* refaults, in % of faults */
};

struct flt_pattern;

/* Return an empty pattern, about 1.5 KiB that do not grow, or NULL without memory. */
struct flt_pattern *flt_pattern_new(void);
void flt_pattern_free(struct flt_pattern *pattern);

void flt_pattern_add(struct flt_pattern *pattern, const struct flt_visit *touch);
/* Return the order and the reuse so far. NULL is an empty pattern. */
struct flt_verdict flt_pattern_classify(const struct flt_pattern *pattern);

const char *flt_order_name(enum flt_order order);
const char *flt_reuse_name(enum flt_reuse reuse);

/* Write name, order and reuse: "thrashing, forward", "strided by 16 pages, one pass". */
void flt_pattern_describe(const struct flt_verdict *verdict, char *text, size_t size);
/*
 * Write the figures: "97 % of 1024 steps go forward; 50 % of the faults are of pages that faulted
 * before".
 */
void flt_pattern_evidence(const struct flt_verdict *verdict, char *text, size_t size);

#endif
