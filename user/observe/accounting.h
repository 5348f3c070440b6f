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
};

/*
 * Create a session if accounting is off, because a session switches it on. The session
 * lives as long as control. once: there is one report only, now, which would be empty, so
 * return -EOPNOTSUPP if accounting is off. Return 0 or -errno.
 */
int flt_accounting_start(struct flt_control *control, bool once, struct flt_accounting *out,
			 struct flt_errmsg *e);

#endif
