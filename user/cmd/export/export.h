/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - declarations shared by the files of 'fltctl export'.
 *
 *   export.c    options
 *   collect.c   ask the module; counters that survive a reload of the module
 *   working_sets.c  working sets of cgroups
 *   families.c  the counters as metrics
 *   server.c    HTTP
 *   accept.c    the format that a client wants
 *   listen.c    the address to listen on
 *   textfile.c  a file for node_exporter
 */
#ifndef FLT_CMD_EXPORT_H
#define FLT_CMD_EXPORT_H

#include "account/account.h"
#include "account/ledger.h"
#include "cli/command.h"
#include "model/counts/groups.h"
#include "observe/loop.h"
#include "view/metrics/metrics.h"

enum export_by { EXPORT_BY_MACHINE = 0, EXPORT_BY_CGROUP };
enum export_ledger { EXPORT_THP, EXPORT_NUMA, EXPORT_LEDGERS };

struct export_args {
	const char *listen;	/* NULL: default */
	const char *textfile;	/* NULL: HTTP */
	int by;			/* enum export_by */
	uint64_t max_series;
	bool counts;		/* no latencies */
	bool quarters;
	bool ledger[EXPORT_LEDGERS];
	struct flt_list wss;	/* directories of cgroups */
	uint64_t window;	/* ns, of working sets */
};

/* The module has 16 trackers for all of its users. */
#define EXPORT_WSS_MAX 8

#define EXPORT_LOSS_ONE(...) + 1
enum { EXPORT_LOSSES = 0 FLT_TALLY_LOSSES(EXPORT_LOSS_ONE) };
#undef EXPORT_LOSS_ONE

/* Numbers of the module that only grow while the module is loaded. All members are u64. */
struct export_counts {
	uint64_t counter[FLT_GROUP_COUNTERS];	/* in the order of the list */
	uint64_t kind[__FLT_KIND_MAX];
	uint64_t failure[__FLT_FAILURE_MAX];
	uint64_t loss[EXPORT_LOSSES];		/* in the order of the list */
	uint64_t latency[2][__FLT_KIND_MAX][FLT_BUCKETS];	/* [major] */
	struct flt_ledger_counts ledger[EXPORT_LEDGERS];
};

struct flt_cgroup_tree;
struct flt_control;
struct export_wsets;

struct export {
	const struct flt_command *command;
	const struct export_args *args;
	struct flt_control *control;	/* NULL: the module is not loaded now */
	int family;			/* of the module that .last belongs to */
	struct flt_groups *groups;	/* NULL without --by=cgroup */
	struct flt_cgroup_tree *cgroups;	/* NULL: no metric names a cgroup */
	struct export_wsets *wsets;	/* NULL without --wss */

	struct export_counts last, sum;
	uint32_t unknown;		/* counters that the module cannot keep */
	uint64_t ledger_unknown[EXPORT_LEDGERS];
	uint64_t latency_max;		/* ns, since the module was loaded */
	bool complete;			/* the last dump of rows was complete */
	uint64_t scrapes, failures, omitted;
	struct flt_errmsg error;	/* of the last failure */
	bool told;			/* the failure was reported */
};

/* collect.c */
/* Open the sessions that make the module count. Return 0 or -errno. */
int export_open(struct export *x, struct flt_errmsg *e);
/*
 * Read the module. If the module was unloaded, keep the sums, and look for the module again in the
 * next call. Return 0 or -ENOMEM.
 */
int export_collect(struct export *x);

/* working_sets.c */
/* Prepare for the cgroups of --wss. Return -ENOMEM. */
int export_wsets_new(struct export *x);
void export_wsets_free(struct export *x);
/* Make the module measure the cgroups that exist, on a new connection. Return 0 or -errno. */
int export_wsets_open(struct export *x, struct flt_errmsg *e);
/*
 * Read the last complete round of each cgroup. The caller has begun a round of x->cgroups. Return 0
 * or -errno, with a message in x->error.
 */
int export_wsets_measure(struct export *x);
void export_wsets_write(struct export *x, struct flt_metrics *m);
/* Return the number of series. */
uint32_t export_wsets_series(const struct export_args *args);

/* families.c */
/* Write all metrics. Return 0 or -errno. The caller frees m->text in any case. */
int export_write(struct export *x, struct flt_metrics *m, enum flt_metrics_format format);
/* Return how many groups --max-series has room for. */
uint32_t export_room(const struct export_args *args);

/* accept.c */
/*
 * Return the format that the header Accept prefers; the first one of several. header may be NULL. A
 * client that names no format gets text.
 */
enum flt_metrics_format export_accept_format(const char *header);

/* listen.c */
/* Return 0 if the text is an address to listen at, or -EINVAL with a message. */
int export_listen_check(const char *where, struct flt_errmsg *e);
/* Open a socket that listens. Return the descriptor or -errno. */
int export_listen(const char *where, bool *loopback, struct flt_errmsg *e);

/* server.c */
/* Serve until a signal arrives. Return the exit status. */
int export_serve(struct export *x);

/* textfile.c */
/* Write the file every interval (ns) until a signal arrives; 0: once. Return the exit status. */
int export_textfile(struct export *x, uint64_t interval);

#endif
