/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * genl.h - generic netlink by hand, for tests only.
 *
 * On purpose without libnl and without anything of user/: the reader that judges
 * fltctl must not share its mistakes.
 */
#ifndef GENL_H
#define GENL_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GENL_BUF 65536

struct genl {
	int fd;
	uint16_t family;
	uint32_t seq;
	char error[256];	/* extack sentence of the last error, or "" */
	uint32_t error_offset;	/* offset of the offending attribute, or 0 */
	int interrupted;	/* the last dump carried NLM_F_DUMP_INTR */
	/* What comes unasked, sequence number 0; NULL: passed over. */
	void (*event)(const struct nlmsghdr *nlh);
	char out[GENL_BUF], in[GENL_BUF];
};

/* -ENOENT: no such family (module not loaded). */
int genl_open(struct genl *g, const char *family);
void genl_close(struct genl *g);

struct nlmsghdr *genl_start(struct genl *g, uint16_t type, uint16_t flags, uint8_t cmd,
			    uint8_t version);
void genl_put(struct genl *g, uint16_t type, const void *data, size_t len);
void genl_put_u32(struct genl *g, uint16_t type, uint32_t value);

/*
 * Sends what was put together and calls reply() for every message of the answer.
 * 0 or -errno, also when a dump ends in an error.
 */
typedef void (*genl_reply_fn)(const struct nlmsghdr *nlh, void *data);
int genl_talk(struct genl *g, genl_reply_fn reply, void *data);

/* The answers to a request that was sent already. */
int genl_receive(struct genl *g, genl_reply_fn reply, void *data);

/* Attributes of a message, or of a nest. */
#define genl_for_each(a, first, bytes)                                                       \
	for (const struct nlattr *a = (first), *a##_end = genl_end(a, bytes);                 \
	     genl_ok(a, a##_end); a = genl_next(a))

/* What has come unasked; does not wait. -errno, and -ENOBUFS for an overrun. */
int genl_events(struct genl *g);

const struct nlattr *genl_attrs(const struct nlmsghdr *nlh, size_t *bytes);
const struct nlattr *genl_end(const struct nlattr *first, size_t bytes);
int genl_ok(const struct nlattr *a, const struct nlattr *end);
const struct nlattr *genl_next(const struct nlattr *a);
uint16_t genl_type(const struct nlattr *a);
size_t genl_len(const struct nlattr *a);
const void *genl_data(const struct nlattr *a);
uint64_t genl_number(const struct nlattr *a); /* u8, u16, u32 or u64 by its length */

#endif
