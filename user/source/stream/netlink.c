// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/netlink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/netlink/connection.h"
#include "source/netlink/decode.h"

/* Receive buffer of the socket. Without CAP_NET_ADMIN net.core.rmem_max limits it. */
#define RECEIVE_BYTES (4 << 20)
/* Faults of one CPU are in order to within 2 us. See enum flt_events_attr. */
#define ORDER_NS 2000

struct flt_stream_netlink {
	struct flt_control *control;
	/* messages received since the last read, or while waiting for a reply */
	struct part {
		uint32_t cpu;
		size_t count;
		union flt_stream_note *slot;
		uint64_t horizon;	/* valid if slot is NULL */
	} *part;
	size_t parts, room;
	/* CPUs that sent slots since the last horizon; may contain duplicates. */
	uint32_t *active;
	size_t active_count, active_room;
	uint64_t horizon;		/* lower bound for the end times of later faults */
};

/* Keep the message until the next read. It may arrive before the session ID is known. */
static int on_event(void *arg, struct nlattr *attrs, int length)
{
	struct flt_stream_netlink *n = arg;
	struct flt_event_bytes got;
	struct part *grown;
	size_t room;
	int ret = flt_decode_events(attrs, length, &got);

	if (ret)
		return ret;
	if (n->parts == n->room) {
		room = n->room ? 2 * n->room : 64;
		grown = reallocarray(n->part, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		n->part = grown;
		n->room = room;
	}
	grown = &n->part[n->parts];
	*grown = (struct part){ .cpu = got.cpu, .horizon = got.horizon };
	if (!got.size) {
		n->parts++;
		return 0;
	}
	grown->count = got.size / sizeof(*grown->slot);
	grown->slot = malloc(got.size);
	if (!grown->slot)
		return -ENOMEM;
	memcpy(grown->slot, got.slots, got.size);
	n->parts++;
	return 0;
}

int flt_stream_netlink_open(struct flt_stream_netlink **netlink, const uint32_t *tgids,
			    size_t count, bool follow, const struct flt_stream_wish *wish,
			    uint32_t *session, struct flt_errmsg *e)
{
	struct flt_stream_netlink *n = calloc(1, sizeof(*n));
	int ret;

	if (!n)
		return -ENOMEM;
	ret = flt_control_open(&n->control, e);
	if (ret)
		goto err;
	flt_genl_listen(n->control->genl, FLT_CMD_EVENTS, RECEIVE_BYTES, on_event, n);
	ret = flt_control_stream_new(n->control, tgids, count, follow, wish, session, e);
	if (ret)
		goto err;
	*netlink = n;
	return 0;
err:
	flt_stream_netlink_close(n);
	return ret;
}

void flt_stream_netlink_close(struct flt_stream_netlink *n)
{
	size_t i;

	if (!n)
		return;
	flt_control_close(n->control);
	for (i = 0; i < n->parts; i++)
		free(n->part[i].slot);
	free(n->part);
	free(n->active);
	free(n);
}

static int mark_active(struct flt_stream_netlink *n, uint32_t cpu)
{
	size_t room = n->active_room ? 2 * n->active_room : 16;
	uint32_t *active;

	if (n->active_count && n->active[n->active_count - 1] == cpu)
		return 0;
	if (n->active_count == n->active_room) {
		active = reallocarray(n->active, room, sizeof(*active));
		if (!active)
			return -ENOMEM;
		n->active = active;
		n->active_room = room;
	}
	n->active[n->active_count++] = cpu;
	return 0;
}

/*
 * Set the horizon to that of the module, or lower: a CPU that sent slots since the last horizon
 * may send more faults that ended after its last fault.
 */
static void set_horizon(struct flt_stream_netlink *n, uint64_t horizon,
			const struct flt_slots *slots)
{
	uint64_t last;
	size_t i;

	for (i = 0; i < n->active_count; i++) {
		last = flt_slots_last(slots, n->active[i]);
		last -= last > ORDER_NS ? ORDER_NS : last;
		if (last < horizon)
			horizon = last;
	}
	n->active_count = 0;
	n->horizon = horizon;
}

static int take_part(struct flt_stream_netlink *n, const struct part *part,
		     struct flt_slots *slots, const struct flt_stream_sink *sink,
		     struct flt_errmsg *e)
{
	union flt_stream_note *slot;
	int ret;

	if (!part->slot) {
		set_horizon(n, part->horizon, slots);
		return 0;
	}
	ret = flt_slots_room(slots, part->cpu, part->count, &slot, e);
	if (ret)
		return ret;
	memcpy(slot, part->slot, part->count * sizeof(*slot));
	ret = flt_slots_take(slots, part->cpu, part->count, sink, e);
	return ret ? ret : mark_active(n, part->cpu);
}

int flt_stream_netlink_read(struct flt_stream_netlink *n, int wait_ms, struct flt_slots *slots,
			    const struct flt_stream_sink *sink, uint64_t *horizon,
			    struct flt_errmsg *e)
{
	size_t i;
	int ret = flt_genl_events(n->control->genl, wait_ms, e);

	for (i = 0; i < n->parts; i++) {
		if (!ret)
			ret = take_part(n, &n->part[i], slots, sink, e);
		free(n->part[i].slot);
	}
	n->parts = 0;
	*horizon = n->horizon;
	return ret;
}
