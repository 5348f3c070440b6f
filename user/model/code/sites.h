/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sites.h - groups of faults under the names people know them by. */
#ifndef FLT_MODEL_SITES_H
#define FLT_MODEL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/recording/group.h"
#include "model/code/symbols.h"

enum flt_by {
	FLT_BY_LINE = 0,	/* function, file and line of the faulting instruction */
	FLT_BY_FUNCTION,
	FLT_BY_OBJECT,
	FLT_BY_THREAD,
	FLT_BY_VMA,		/* of the memory touched */
	FLT_BY_ADDRESS,		/* page touched */
	FLT_BY_STACK,		/* rows are entries: one for each stack and instruction */
};

struct flt_site {
	const char *function;	/* NULL: not by code */
	const char *within;	/* function it is inlined into, or NULL */
	const char *file;	/* NULL: unknown */
	uint32_t line;
	const char *object;	/* of the code; by VMA and ADDRESS: of the memory */
	uint64_t address;	/* by VMA and ADDRESS */
	uint32_t pid, tid;	/* tid only by THREAD */
	const char *comm;
	bool several;		/* processes: pid and comm are those of the one with most faults */
	uint64_t most;		/* faults of that one */
	uint32_t entry;		/* of the group: one of those in this row */
	struct flt_counts counts;
};

struct flt_sites {
	struct flt_site *rows;	/* the largest first */
	size_t count;
	struct flt_counts total;
};

/* The key that a fault has in a group for rows of this sort. */
int flt_sites_key(enum flt_by by, struct flt_recording *rec, const struct flt_fault *fault, struct flt_group_key *key);

/* Strings in rows live as long as rec and symbols. */
int flt_sites_build(struct flt_sites *rows, enum flt_by by, const struct flt_recording *rec, struct flt_symbols *symbols,
		   const struct flt_group *group);
void flt_sites_free(struct flt_sites *rows);

#endif
