// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "source/stream/netlink.h"
#include "source/stream/relay.h"
#include "text/clock.h"
#include "text/units.h"

/* Time between two requests for the horizon. */
#define POLL_NS (2 * FLT_NSEC_PER_MSEC)

struct flt_stream {
	struct flt_slots *slots;
	struct flt_stream_relay *relay;		/* NULL: by netlink */
	struct flt_control *control;
	uint32_t session;
	bool all_processes;
	uint64_t missed;	/* machine's count before the stream began, if all_processes */
};

static int open_relay(struct flt_stream *s, struct flt_control *control, const uint32_t *tgids,
		      size_t count, bool follow, const struct flt_stream_wish *wish,
		      uint32_t cpus, struct flt_errmsg *e)
{
	int ret = flt_control_stream_new(control, tgids, count, follow, wish, &s->session, e);

	if (ret)
		return ret;
	ret = flt_stream_relay_open(&s->relay, s->session, cpus, e);
	if (ret) {
		flt_control_session_del(control, s->session, NULL);
		s->session = 0;
	}
	return ret;
}

/* Return true if the error only means that relay files are not available. */
static bool is_relay_unavailable(int err)
{
	return err == -EOPNOTSUPP || err == -ENOENT || err == -EACCES || err == -EPERM;
}

static int open_channel(struct flt_stream *s, struct flt_control *control, const uint32_t *tgids,
			size_t count, bool follow, const struct flt_stream_wish *wish,
			uint32_t cpus, struct flt_errmsg *e)
{
	struct flt_stream_wish mine = *wish;
	int ret = -EOPNOTSUPP;

	if (wish->channel != FLT_STREAM_NETLINK) {
		mine.channel = FLT_STREAM_RELAY;
		ret = open_relay(s, control, tgids, count, follow, &mine, cpus, e);
	}
	if (wish->channel == FLT_STREAM_RELAY || !is_relay_unavailable(ret))
		return ret;
	mine.channel = FLT_STREAM_NETLINK;
	return flt_control_stream_new(control, tgids, count, follow, &mine, &s->session, e);
}

/* Read the machine's count. A session for all processes has no account of its own. */
static int read_missed(const struct flt_stream *s, uint64_t *missed, struct flt_errmsg *e)
{
	struct flt_tally tally;
	int ret = flt_control_tally(s->control, &tally, e);

	*missed = ret ? 0 : tally.all.missed;
	return ret;
}

int flt_stream_open(struct flt_stream **stream, struct flt_control *control,
		    const uint32_t *tgids, size_t count, bool follow,
		    const struct flt_stream_wish *wish, struct flt_errmsg *e)
{
	struct flt_stream *s = calloc(1, sizeof(*s));
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int ret;

	if (!s)
		return -ENOMEM;
	if (cpus < 1)
		cpus = 1;
	s->control = control;
	s->all_processes = !count;
	ret = flt_slots_new(&s->slots, (uint32_t)cpus);
	if (!ret && s->all_processes)
		ret = read_missed(s, &s->missed, e);
	if (!ret)
		ret = open_channel(s, control, tgids, count, follow, wish, (uint32_t)cpus, e);
	if (ret) {
		flt_stream_close(s);
		return ret;
	}
	*stream = s;
	return 0;
}

void flt_stream_close(struct flt_stream *s)
{
	if (!s)
		return;
	if (s->session)
		flt_control_session_del(s->control, s->session, NULL);
	flt_stream_relay_close(s->relay);
	flt_slots_free(s->slots);
	free(s);
}

uint32_t flt_stream_session(const struct flt_stream *s)
{
	return s->session;
}

/* Take all that was written before the call, which has all faults that ended before *horizon. */
static int take(struct flt_stream *s, const struct flt_stream_sink *sink, uint64_t *horizon,
		struct flt_errmsg *e)
{
	int ret = flt_stream_netlink_read(s->control, s->session, s->slots, sink, horizon, e);

	return ret || !s->relay ? ret : flt_stream_relay_read(s->relay, s->slots, sink, e);
}

static int read_once(struct flt_stream *s, const struct flt_stream_sink *sink, uint64_t *horizon,
		     struct flt_errmsg *e)
{
	int ret = take(s, sink, horizon, e);

	return ret || !*horizon ? ret : flt_slots_give(s->slots, *horizon - 1, sink);
}

int flt_stream_read(struct flt_stream *s, const struct flt_stream_sink *sink,
		    struct flt_errmsg *e)
{
	uint64_t horizon;

	return read_once(s, sink, &horizon, e);
}

int flt_stream_catch_up(struct flt_stream *s, const struct flt_stream_sink *sink,
			struct flt_errmsg *e)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };
	const uint64_t until = flt_clock_ns(CLOCK_MONOTONIC);
	uint64_t horizon;
	int ret = read_once(s, sink, &horizon, e);

	while (!ret && horizon < until) {
		nanosleep(&pause, NULL);
		ret = read_once(s, sink, &horizon, e);
	}
	return ret;
}

/* The faults that were counted as written can be read. */
static int drain(struct flt_stream *s, uint64_t written, const struct flt_stream_sink *sink,
		 struct flt_errmsg *e)
{
	uint64_t taken, horizon;
	int ret = take(s, sink, &horizon, e);

	if (ret)
		return ret;
	taken = flt_slots_taken(s->slots);
	ret = flt_slots_give(s->slots, UINT64_MAX, sink);
	if (!ret && taken < written)
		ret = flt_errmsg_set(e, -EBADMSG, "the stream ends %" PRIu64 " faults early",
				     written - taken);
	return ret;
}

int flt_stream_end(struct flt_stream *s, const struct flt_stream_sink *sink,
		   struct flt_stream_end *end, struct flt_errmsg *e)
{
	uint64_t reported, missed;
	int ret = flt_control_session(s->control, s->session, false, &end->session, e);

	if (!ret)
		ret = drain(s, end->session.written, sink, e);
	if (!ret && s->all_processes)
		ret = read_missed(s, &missed, e);
	if (ret)
		return ret;
	flt_slots_count(s->slots, &end->delivered, &reported);
	end->lost = end->session.lost > reported ? end->session.lost : reported;
	end->lost_last = end->lost - reported;
	end->missed = s->all_processes ? missed - s->missed : end->session.account.missed;
	return 0;
}
