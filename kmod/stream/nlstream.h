/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nlstream - the channel for few events, and for machines without debugfs: what a
 * relay's CPUs have written, sent to the socket of the session that wants it.
 *
 * Probes write to the buffers as for relay files; a work reads them and sends, so no
 * probe allocates or sends. What the socket has no room for stays in the buffers,
 * which are bounded, and whose losses are counted: nothing is lost on the way.
 */
#ifndef FLT_NLSTREAM_H
#define FLT_NLSTREAM_H

#include <linux/types.h>

struct flt_nlstream;
struct flt_relay;
struct genl_family;

/* Whose messages they are. */
void flt_nlstream_init(const struct genl_family *family);

/*
 * Sends what comes in @relay, which must outlive it, to @port until closed. Holds the
 * module: a reader would wait in vain. ERR_PTR: -ENOMEM, -ENODEV it is being unloaded.
 */
struct flt_nlstream *flt_nlstream_open(struct flt_relay *relay, u32 session, u32 port);
/* Sends no more when it returns; NULL is fine. May sleep. */
void flt_nlstream_close(struct flt_nlstream *s);

#endif
