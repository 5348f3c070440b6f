// SPDX-License-Identifier: GPL-2.0-only
/* relay_switch_subbuf() */
#include <linux/relay.h>

size_t test(struct rchan_buf *buf)
{
	buf->padding[0] = 0;
	return relay_buf_full(buf) ? 0 : relay_switch_subbuf(buf, 64);
}
