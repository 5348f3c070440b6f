/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - send commands to the flt module.
 *
 * There is one function per command of <linux/flt.h>. Errors are those of that header, with
 * the module's message in e. Sessions live as long as the control.
 */
#ifndef FLT_SOURCE_CONTROL_H
#define FLT_SOURCE_CONTROL_H

#include "account/account.h"
#include "text/errmsg.h"

struct flt_control;
struct flt_genl;

/*
 * -EOPNOTSUPP: the module is not loaded, or too old for this PID namespace; -EPERM;
 * -EPROTO: the module has another interface version.
 */
int flt_control_open(struct flt_control **control, struct flt_errmsg *e);
void flt_control_close(struct flt_control *control);
/* Return the socket, for other requests (ledger_ask.h). */
struct flt_genl *flt_control_genl(struct flt_control *control);

int flt_control_info(struct flt_control *control, struct flt_info *out, struct flt_errmsg *e);
int flt_control_tally(struct flt_control *control, struct flt_tally *out, struct flt_errmsg *e);
int flt_control_proc(struct flt_control *control, uint32_t tgid, bool kinds, struct flt_row *out,
		     struct flt_errmsg *e);

/*
 * Replace the contents of the list. If rows were retired during the dump, the dump is
 * repeated up to three times. -EINTR: rows were retired during the last dump too. The rows in
 * the list are right, but some are missing.
 */
int flt_control_procs(struct flt_control *control, uint32_t session, bool kinds,
		      struct flt_rows *out, struct flt_errmsg *e);
/* The same for the session's processes that have no row any more, summed up by name. */
int flt_control_names(struct flt_control *control, uint32_t session, struct flt_rows *out,
		      struct flt_errmsg *e);
int flt_control_tasks(struct flt_control *control, uint32_t tgid, bool kinds,
		      struct flt_rows *out, struct flt_errmsg *e);

/* The caller frees hooks->hook. */
int flt_control_hooks(struct flt_control *control, struct flt_hooks *hooks, struct flt_errmsg *e);

/*
 * Read the histograms of the machine without the empty ones. returns: by enum flt_return.
 * The caller frees the list.
 */
int flt_control_latency(struct flt_control *control, bool returns, struct flt_latencies *out,
			struct flt_errmsg *e);
/* The same of a session with histograms, by kind, returned value, process or cause. */
enum flt_hist_by {
	FLT_HIST_BY_KIND, FLT_HIST_BY_RETURN, FLT_HIST_BY_PROCESS, FLT_HIST_BY_CAUSE,
};
int flt_control_hists(struct flt_control *control, uint32_t session, enum flt_hist_by by,
		      struct flt_latencies *out, struct flt_errmsg *e);
/*
 * Read the slowest faults of the machine, or of a session with causes, in no order. The caller
 * frees the list. session 0: the machine.
 */
int flt_control_slowest(struct flt_control *control, uint32_t session, struct flt_slows *out,
			struct flt_errmsg *e);

/* Open a session that needs counts alone, so that returns are not probed for it. */
int flt_control_counts_new(struct flt_control *control, uint32_t *id, struct flt_errmsg *e);
int flt_control_session_new(struct flt_control *control, const uint32_t *tgids, size_t count,
			    bool follow, uint32_t *id, struct flt_errmsg *e);
struct flt_hist_wish {
	uint64_t cgroup;	/* inode number of its directory in cgroup2; 0: any */
	uint32_t procs;		/* so many have a histogram of their own; 0: only causes */
	bool causes;		/* causes and slowest faults */
};

/*
 * Open a session that keeps histograms or causes: of the processes, or of all in the cgroup if
 * count is 0.
 */
int flt_control_hist_new(struct flt_control *control, const uint32_t *tgids, size_t count,
			 bool follow, const struct flt_hist_wish *wish, uint32_t *id,
			 struct flt_errmsg *e);

/* The filter of a streaming session; 0 or NULL: no filter. */
struct flt_stream_filter {
	uint32_t kinds, results;	/* bits of enum flt_kind, enum flt_result */
	uint64_t latency;		/* minimum, ns */
	uint64_t address, address_end;	/* end 0: no filter */
	uint64_t inode;
	uint32_t dev;
	const char *comm;
	bool by_uid;
	uint32_t uid;
	uint32_t sample;		/* one of this many faults */
	uint64_t cgroup;		/* inode number of the directory in cgroup2 */
};

enum flt_stream_channel {
	FLT_STREAM_AUTO = 0,	/* relay if its files can be opened, else netlink */
	FLT_STREAM_RELAY,
	FLT_STREAM_NETLINK,
};

struct flt_stream_wish {
	enum flt_stream_channel channel;
	uint32_t subbuf_size, subbufs;
	bool notes;		/* names of files; forks, execs, exits; mapped code */
	bool areas;		/* with notes: mappings of faults */
	uint32_t stacks, slice;		/* addresses, bytes; 0: none */
	bool causes;		/* what each fault spent its time on */
	struct flt_stream_filter filter;
};

/*
 * Create a session that streams faults to relay files, or by netlink if the wish says so; see
 * stream.h. Without tgids, faults of all processes.
 */
int flt_control_stream_new(struct flt_control *control, const uint32_t *tgids, size_t count,
			   bool follow, const struct flt_stream_wish *wish, uint32_t *id,
			   struct flt_errmsg *e);
int flt_control_session(struct flt_control *control, uint32_t id, bool kinds,
			struct flt_session *out, struct flt_errmsg *e);
int flt_control_session_del(struct flt_control *control, uint32_t id, struct flt_errmsg *e);

#endif
