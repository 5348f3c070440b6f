// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "proc.h"
#include "relay.h"
#include "stream.h"

struct stream {
	struct flt_filter filter;
	struct flt_relay *relay;
	u32 __percpu *skipped;		/* since the last record that sampling let pass */
};

DEFINE_STATIC_KEY_FALSE(flt_stream_on);

static struct stream __rcu *streams[FLT_ROW_SESSIONS];
u32 flt_stream_all, flt_stream_own;

int flt_stream_open(u32 bit, u32 session, const struct flt_stream_config *config)
{
	struct stream *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err = -ENOMEM;

	if (!s)
		return -ENOMEM;
	s->filter = config->filter;
	s->skipped = alloc_percpu(u32);
	if (!s->skipped)
		goto err_skipped;
	s->relay = flt_relay_open(session, config->subbuf_size, config->subbufs);
	if (IS_ERR(s->relay)) {
		err = PTR_ERR(s->relay);
		goto err_relay;
	}
	rcu_assign_pointer(streams[bit], s);
	if (config->everybody)
		WRITE_ONCE(flt_stream_all, flt_stream_all | BIT(bit));
	else
		WRITE_ONCE(flt_stream_own, flt_stream_own | BIT(bit));
	static_branch_inc(&flt_stream_on);
	return 0;

err_relay:
	free_percpu(s->skipped);
err_skipped:
	kfree(s);
	return err;
}

void flt_stream_close(u32 bit)
{
	struct stream *s = rcu_dereference_protected(streams[bit], true);

	if (!s)
		return;
	static_branch_dec(&flt_stream_on);
	WRITE_ONCE(flt_stream_all, flt_stream_all & ~BIT(bit));
	WRITE_ONCE(flt_stream_own, flt_stream_own & ~BIT(bit));
	RCU_INIT_POINTER(streams[bit], NULL);
	/* Handlers run with preemption off: when this returns none holds it. */
	synchronize_rcu();
	flt_relay_close(s->relay);
	free_percpu(s->skipped);
	kfree(s);
}

void flt_stream_count(u32 bit, u64 *written, u64 *lost, u64 *lost_notes)
{
	const struct stream *s = rcu_dereference_protected(streams[bit], true);

	*written = 0;
	*lost = 0;
	*lost_notes = 0;
	if (s)
		flt_relay_count(s->relay, written, lost, lost_notes);
}

static bool sampled(const struct stream *s)
{
	if (s->filter.sample == 1)
		return true;
	if (this_cpu_inc_return(*s->skipped) < s->filter.sample)
		return false;
	this_cpu_write(*s->skipped, 0);
	return true;
}

static void write(const struct stream *s, const struct flt_event *e, u8 result, u64 ns)
{
	struct flt_event_record *record = flt_relay_begin(s->relay);

	if (!record)
		return;
	flt_record_fill(record, e, result, ns);
	record->weight = s->filter.sample;
	flt_relay_end(s->relay);
}

void flt_stream_record(const struct flt_event *e, u8 result, u64 ns, u32 wanted)
{
	const struct stream *s;

	for (; wanted; wanted &= wanted - 1) {
		s = rcu_dereference_sched(streams[__ffs(wanted)]);
		if (s && flt_filter_passes(&s->filter, e, result, ns) && sampled(s))
			write(s, e, result, ns);
	}
}
