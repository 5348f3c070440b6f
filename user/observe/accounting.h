/* SPDX-License-Identifier: GPL-2.0-or-later */
/* accounting.h - make sure that the module counts faults while a command reports them. */
#ifndef FLT_ACCOUNTING_H
#define FLT_ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "text/errmsg.h"

struct flt_control;

struct flt_accounting {
	uint64_t since;		/* CLOCK_MONOTONIC ns: the module counts since then */
	bool started;		/* by us: the module was loaded with accounting=0 */
	bool partial;		/* until now, latencies and failures were not always counted */
};

enum flt_accounting_need {
	FLT_ACCOUNTING_COUNTS,	/* faults by process, result and kind */
	FLT_ACCOUNTING_ALL,	/* and latencies, failures, values returned */
	FLT_ACCOUNTING_PAST,	/* all of it, for a single report of what was counted until now */
};

/*
 * Create a session for the need, because a session switches accounting and the probe on
 * return on. The session lives as long as control. Return 0 or -errno, -EOPNOTSUPP if
 * accounting was off and the past is needed.
 */
int flt_accounting_start(struct flt_control *control, enum flt_accounting_need need,
			 struct flt_accounting *out, struct flt_errmsg *e);

/* What to say about a report of the past, if it is partial. */
#define FLT_ACCOUNTING_PARTIAL                                                              \
	"latencies, failures and retried attempts were not counted all the time; load flt with " \
	"accounting=latency to count them always"

#endif
