/* SPDX-License-Identifier: GPL-2.0-or-later */
/* group.h - count faults by a key: one entry per key, found in constant time. */
#ifndef FLT_MODEL_GROUP_H
#define FLT_MODEL_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "event/fault.h"
#include "index/index.h"

enum flt_op { FLT_OP_READ = 0, FLT_OP_WRITE, FLT_OP_EXEC, FLT_OP_UNKNOWN, __FLT_OP_LAST };

/* First touch of a page, or touch of a page that was evicted before. */
enum flt_touch { FLT_TOUCH_FIRST = 0, FLT_TOUCH_AGAIN, FLT_TOUCH_OTHER, __FLT_TOUCH_LAST };

enum flt_op flt_op_of(const struct flt_fault *fault);
enum flt_touch flt_touch_of(const struct flt_fault *fault);
const char *flt_op_name(enum flt_op op);
const char *flt_touch_name(enum flt_touch touch);

/* Counts of faults. A fault counts as often as its weight says (see --sample). */
struct flt_counts {
	uint64_t by[__FLT_OP_LAST][__FLT_TOUCH_LAST];
	uint64_t majors;
	uint64_t timed;		/* faults whose latency is known */
	uint64_t latency;	/* nanoseconds, their sum */
};

void flt_counts_add(struct flt_counts *counts, const struct flt_fault *fault);
void flt_counts_sum(struct flt_counts *to, const struct flt_counts *from);
uint64_t flt_counts_all(const struct flt_counts *counts);
uint64_t flt_counts_op(const struct flt_counts *counts, enum flt_op op);
uint64_t flt_counts_touch(const struct flt_counts *counts, enum flt_touch touch);

struct flt_group_key {
	uint32_t image;
	uint32_t id;		/* chosen by the caller: a stack, a thread or a map */
	uint64_t at;		/* chosen by the caller: a place or a page */
};

struct flt_group_entry {
	struct flt_group_key key;
	uint64_t ip;		/* instruction of its first fault */
	struct flt_counts counts;
};

struct flt_group {
	struct flt_group_entry *entries;	/* in the order of their first fault */
	uint32_t count, room;
	struct flt_index index;
};

/* A group that is all zero is empty and ready for use. */
void flt_group_free(struct flt_group *group);
/* Count a fault. Return -ENOMEM, or -E2BIG past 64 million keys. */
int flt_group_add(struct flt_group *group, const struct flt_group_key *key,
		  const struct flt_fault *fault);
#define FLT_GROUP_BATCH 64

/*
 * Add up to FLT_GROUP_BATCH faults. With many stacks, each fault waits for memory twice in
 * flt_group_add(); here the waits of a batch overlap. Return -ENOMEM, or -E2BIG past 64 million
 * keys.
 */
int flt_group_add_batch(struct flt_group *group, const struct flt_group_key *keys,
			const struct flt_fault *const *faults, size_t n);

#endif
