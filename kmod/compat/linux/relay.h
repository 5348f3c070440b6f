/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_RELAY_H
#define FLT_COMPAT_LINUX_RELAY_H

#include_next <linux/relay.h>
#include <flt_compat.h>

/* Before 6.17 subbuf_start() had the padding as an argument. flt reads rchan_buf.padding. */
#if FLT_HAVE_RELAY_PADDING
#define FLT_RELAY_BEGIN(name) \
	int name(struct rchan_buf *buf, void *subbuf, void *prev, size_t prev_padding)
#else
#define FLT_RELAY_BEGIN(name) int name(struct rchan_buf *buf, void *subbuf, void *prev)
#endif

/* Before 5.11 relay set the callbacks that are NULL to functions of its own. */
#if FLT_HAVE_RELAY_CONST
#define FLT_RELAY_CONST const
#else
#define FLT_RELAY_CONST
#endif

#endif
