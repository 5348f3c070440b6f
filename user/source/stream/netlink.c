// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "source/netlink/connection.h"
#include "source/netlink/decode.h"

struct answer {
	struct flt_slots *slots;
	const struct flt_stream_sink *sink;
	uint64_t horizon;
	struct flt_errmsg *e;
};

static int on_event(void *arg, struct nlattr *attrs, int length)
{
	struct answer *a = arg;
	struct flt_event_bytes got;
	union flt_stream_note *slot;
	size_t count;
	int ret = flt_decode_events(attrs, length, &got);

	if (ret)
		return flt_errmsg_set(a->e, ret, "the flt module's events are malformed");
	if (!got.size) {
		a->horizon = got.horizon;
		return 0;
	}
	count = got.size / sizeof(*slot);
	ret = flt_slots_room(a->slots, got.cpu, count, &slot, a->e);
	if (ret)
		return ret;
	memcpy(slot, got.slots, got.size);
	return flt_slots_take(a->slots, got.cpu, count, a->sink, a->e);
}

int flt_stream_netlink_read(struct flt_control *control, uint32_t session,
			    struct flt_slots *slots, const struct flt_stream_sink *sink,
			    uint64_t *horizon, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_EVENTS, NLM_F_DUMP);
	struct answer a = { .slots = slots, .sink = sink, .e = e };
	int ret;

	if (!request || nla_put_u32(request, FLT_EVENTS_SESSION, session))
		return flt_genl_drop(request);
	ret = flt_genl_dump(control->genl, request, on_event, &a, e);
	*horizon = a.horizon;
	return ret;
}
