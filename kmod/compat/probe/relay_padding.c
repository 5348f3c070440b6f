// SPDX-License-Identifier: GPL-2.0-only
/* until 6.16: subbuf_start() of relay has the padding as an argument */
#include <linux/relay.h>

int probe(struct rchan_buf *buf, void *subbuf, void *prev, size_t padding);

struct rchan_callbacks test = { .subbuf_start = probe };
