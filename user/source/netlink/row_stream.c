// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/netlink/row_stream.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/msg.h>

#include "source/netlink/connection.h"
#include "source/netlink/decode.h"

struct stream {
	flt_row_fn fn;
	void *arg;
};

static int take_row(void *arg, struct nlattr *attrs, int length)
{
	const struct stream *s = arg;
	struct flt_row row;
	int ret = flt_decode_proc(attrs, length, &row);

	return ret ? ret : s->fn(s->arg, &row);
}

int flt_row_stream(struct flt_control *control, flt_row_fn fn, void *arg, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_PROC_GET, NLM_F_DUMP);
	struct stream s = { .fn = fn, .arg = arg };
	int ret;

	if (!request)
		return -ENOMEM;
	ret = flt_genl_dump(control->genl, request, take_row, &s, e);
	if (ret == -EBADMSG)
		flt_errmsg_set(e, ret, "invalid row in the answer of the flt module");
	return ret;
}
