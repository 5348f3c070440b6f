/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sites.h - groups of faults by function, line, object, thread, mapping or cgroup. */
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
	FLT_BY_VMA,		/* mapping of the page */
	FLT_BY_ADDRESS,		/* address of the page */
	FLT_BY_STACK,		/* one row for each stack and instruction */
	FLT_BY_CGROUP,
};

struct flt_site {
	const char *function;	/* NULL: rows are not code */
	const char *within;	/* function into which it is inlined, or NULL */
	const char *file;	/* NULL: unknown */
	uint32_t line;
	const char *object;	/* of the code; by VMA and ADDRESS: the mapping */
	uint64_t address;	/* by VMA and ADDRESS only */
	uint32_t pid, tid;	/* tid: by THREAD only */
	const char *comm;
	const char *cgroup;	/* by CGROUP only; NULL: unknown */
	bool several;		/* several processes: pid and comm of the one with most faults */
	uint64_t most;		/* faults of the process with most faults */
	uint32_t entry;		/* any entry of the group that belongs to this row */
	struct flt_counts counts;
};

struct flt_sites {
	struct flt_site *rows;	/* largest first */
	size_t count;
	struct flt_counts total;
};

/* Store the key of a fault for a group of this kind. */
int flt_sites_key(enum flt_by by, struct flt_recording *rec, const struct flt_fault *fault,
		  struct flt_group_key *key);

/* Make rows of a group. Their strings live as long as rec and symbols. */
int flt_sites_build(struct flt_sites *rows, enum flt_by by, const struct flt_recording *rec,
		    struct flt_symbols *symbols, const struct flt_group *group);
void flt_sites_free(struct flt_sites *rows);

#endif
