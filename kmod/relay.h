/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * relay - the channel that streams in bulk: a ring of sub-buffers for each CPU,
 * read through files under /sys/kernel/debug/flt/session-ID.
 *
 * A record is written by the CPU it happened on with preemption off, and nobody
 * else writes there; so no lock. Nothing is overwritten. Partly filled sub-buffers
 * can be read: relay's read() goes up to the writer's offset, so there is nothing
 * to flush, and no flush to race with the writer.
 */
#ifndef FLT_RELAY_H
#define FLT_RELAY_H

#include <linux/flt_event.h>
#include <linux/types.h>

struct dentry;
struct flt_relay;

/* Where sessions get their directories; ERR_PTR or NULL: no debugfs, no channel. */
void flt_relay_init(struct dentry *root);

/* ERR_PTR: -EOPNOTSUPP without debugfs, -ENOMEM. May sleep. */
struct flt_relay *flt_relay_open(u32 session, u32 subbuf_size, u32 subbufs);
/* No writer may be left. Files that are still open keep their buffers, and the module. */
void flt_relay_close(struct flt_relay *relay);

/* Preemption off. */
void flt_relay_write(struct flt_relay *relay, const struct flt_event_record *record);
void flt_relay_count(const struct flt_relay *relay, u64 *written, u64 *lost);

#endif
