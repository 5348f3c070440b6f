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
/* Bits of streams that take the faults of all processes, and of their own only. */
static u32 all_streams, own_streams;

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
		WRITE_ONCE(all_streams, all_streams | BIT(bit));
	else
		WRITE_ONCE(own_streams, own_streams | BIT(bit));
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
	WRITE_ONCE(all_streams, all_streams & ~BIT(bit));
	WRITE_ONCE(own_streams, own_streams & ~BIT(bit));
	RCU_INIT_POINTER(streams[bit], NULL);
	/* Handlers run with preemption off: when this returns none holds it. */
	synchronize_rcu();
	flt_relay_close(s->relay);
	free_percpu(s->skipped);
	kfree(s);
}

void flt_stream_count(u32 bit, u64 *written, u64 *lost)
{
	const struct stream *s = rcu_dereference_protected(streams[bit], true);

	*written = 0;
	*lost = 0;
	if (s)
		flt_relay_count(s->relay, written, lost);
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

void flt_stream_record(struct flt_event_record *record, u64 latency, u32 sessions)
{
	unsigned long wanted = READ_ONCE(all_streams) | (sessions & READ_ONCE(own_streams));
	unsigned int bit;

	for_each_set_bit(bit, &wanted, FLT_ROW_SESSIONS) {
		const struct stream *s = rcu_dereference_sched(streams[bit]);

		if (!s || !flt_filter_passes(&s->filter, record, latency) || !sampled(s))
			continue;
		record->weight = s->filter.sample;
		flt_relay_write(s->relay, record);
	}
}
