/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nlstream - send a session's events to its netlink socket, for low rates and for machines
 * without debugfs.
 *
 * Probes write to the per-CPU buffers of a relay, as with relay files. A work item reads the
 * buffers and sends messages, so probes do not allocate or send. Data that the socket has
 * no room for stays in the buffers. Only full buffers lose data, which is counted.
 */
#ifndef FLT_NLSTREAM_H
#define FLT_NLSTREAM_H

#include <linux/types.h>

struct flt_nlstream;
struct flt_relay;
struct genl_family;

/* Set the family of the messages. */
void flt_nlstream_init(const struct genl_family *family);

/*
 * Start sending the contents of @relay to @port. @relay must outlive the sender. Holds a
 * reference to the module, because a reader does not notice that the module was unloaded.
 * Return ERR_PTR(-ENOMEM), or ERR_PTR(-ENODEV) if the module is being unloaded.
 */
struct flt_nlstream *flt_nlstream_open(struct flt_relay *relay, u32 session, u32 port);
/* Stop sending. @s may be NULL. May sleep. */
void flt_nlstream_close(struct flt_nlstream *s);

#endif
