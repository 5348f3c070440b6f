/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter.h - select faults of a recording. */
#ifndef FLT_MODEL_FILTER_H
#define FLT_MODEL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/recording/group.h"
#include "model/recording/recording.h"

struct flt_fault_filter {
	uint32_t kinds;		/* bit per enum flt_kind; 0: all */
	uint32_t ops;		/* bit per enum flt_op; 0: all */
	uint32_t touches;	/* bit per enum flt_touch; 0: all */
	bool major;		/* only major faults */
	uint64_t from, until;	/* times of the file; until 0: no end */
	const uint32_t *pids;
	size_t pid_count;	/* 0: all */
};

bool flt_fault_filter_match(const struct flt_fault_filter *filter, const struct flt_recording *rec,
			    const struct flt_fault *fault);

/* The names of all kinds, for help and messages. */
#define FLT_FAULT_FILTER_KINDS                                                          \
	"anon, huge, file, shared, cow, wp, swap, numa, migration, uffd, hugetlb, device, " \
	"spurious, unknown"

/*
 * Parse a list like "anon,file". Return -EINVAL for an unknown word, and set *bad to the first
 * one.
 */
int flt_fault_filter_kinds(const char *list, uint32_t *kinds, const char **bad);
int flt_fault_filter_ops(const char *list, uint32_t *ops, const char **bad);
const char *flt_fault_filter_kind_name(unsigned int kind);

#endif
