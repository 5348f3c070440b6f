/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - the flt module, asked.
 *
 * One function per command of <linux/flt.h>; errors are those of that header,
 * with the module's sentence in e. Sessions live as long as the control.
 */
#ifndef FLT_SOURCE_CONTROL_H
#define FLT_SOURCE_CONTROL_H

#include "account/account.h"
#include "text/errmsg.h"

struct flt_control;
struct flt_genl;

/*
 * -EOPNOTSUPP: the module is not loaded or not visible from here; -EPERM;
 * -EPROTO: it speaks another version.
 */
int flt_control_open(struct flt_control **control, struct flt_errmsg *e);
void flt_control_close(struct flt_control *control);
/* For the sources that ask for more: ledger.h. */
struct flt_genl *flt_control_genl(struct flt_control *control);

int flt_control_info(struct flt_control *control, struct flt_info *out, struct flt_errmsg *e);
int flt_control_tally(struct flt_control *control, struct flt_tally *out, struct flt_errmsg *e);
int flt_control_proc(struct flt_control *control, uint32_t tgid, bool kinds, struct flt_row *out,
		     struct flt_errmsg *e);

/*
 * Replace what is in the list. A dump that rows were retired from while it ran is
 * asked for again, three times; -EINTR means that the last was torn too, with its
 * rows in the list: each is right, some are missing.
 */
int flt_control_procs(struct flt_control *control, uint32_t session, bool kinds,
		      struct flt_rows *out, struct flt_errmsg *e);
int flt_control_tasks(struct flt_control *control, uint32_t tgid, bool kinds,
		      struct flt_rows *out, struct flt_errmsg *e);

/* hooks->hook is allocated, the caller frees it. */
int flt_control_hooks(struct flt_control *control, struct flt_hooks *hooks, struct flt_errmsg *e);

/*
 * Histograms of the machine; empty ones are left out. returns: by enum flt_return.
 * The list is allocated, the caller frees it.
 */
int flt_control_latency(struct flt_control *control, bool returns, struct flt_latencies *out,
			struct flt_errmsg *e);
/* The same; in no order. */
int flt_control_slowest(struct flt_control *control, struct flt_slows *out, struct flt_errmsg *e);

int flt_control_session_new(struct flt_control *control, const uint32_t *tgids, size_t count,
			    bool follow, uint32_t *id, struct flt_errmsg *e);

/* What a session that streams lets through; 0 or NULL leaves a question open. */
struct flt_stream_filter {
	uint32_t kinds, results;	/* bits of enum flt_kind, enum flt_result */
	uint64_t latency;		/* ns at least */
	uint64_t address, address_end;	/* end 0: no address asked for */
	uint64_t inode;
	uint32_t dev;
	const char *comm;
	bool by_uid;
	uint32_t uid;
	uint32_t sample;		/* one in so many */
	uint64_t cgroup;		/* ID: inode number of its directory in cgroup2 */
};

enum flt_stream_channel {
	FLT_STREAM_AUTO = 0,	/* relay where its files can be opened, else netlink */
	FLT_STREAM_RELAY,
	FLT_STREAM_NETLINK,
};

struct flt_stream_wish {
	enum flt_stream_channel channel;
	uint32_t subbuf_size, subbufs;
	bool notes;		/* names of files; forks, execs, exits; code mapped */
	bool areas;		/* with notes: mappings that are faulted in */
	uint32_t stacks, slice;		/* addresses, bytes; 0: none wanted */
	struct flt_stream_filter filter;
};

/*
 * The same, and its faults flow, to relay files unless the wish is for netlink: see
 * stream.h. Without tgids, those of all processes.
 */
int flt_control_stream_new(struct flt_control *control, const uint32_t *tgids, size_t count,
			   bool follow, const struct flt_stream_wish *wish, uint32_t *id,
			   struct flt_errmsg *e);
int flt_control_session(struct flt_control *control, uint32_t id, bool kinds,
			struct flt_session *out, struct flt_errmsg *e);
int flt_control_session_del(struct flt_control *control, uint32_t id, struct flt_errmsg *e);

#endif
