/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * genl.h - a small implementation of generic netlink, for tests only.
 *
 * It uses neither libnl nor code of user/, because tests of fltctl must not share its bugs.
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
	char error[256];	/* extack message of the last error, or "" */
	uint32_t error_offset;	/* offset of the offending attribute, or 0 */
	int interrupted;	/* the last dump carried NLM_F_DUMP_INTR */
	char out[GENL_BUF], in[GENL_BUF];
};

/* Open a socket and look up the family. Return -ENOENT if it does not exist (module not loaded). */
int genl_open(struct genl *g, const char *family);
void genl_close(struct genl *g);

/* Start a request in g->out. */
struct nlmsghdr *genl_start(struct genl *g, uint16_t type, uint16_t flags, uint8_t cmd,
			    uint8_t version);
/* Append an attribute to the request. */
void genl_put(struct genl *g, uint16_t type, const void *data, size_t len);
void genl_put_u32(struct genl *g, uint16_t type, uint32_t value);

/*
 * Send the request and call reply() for each message of the answer. Return 0 or -errno, also if
 * a dump ends with an error.
 */
typedef void (*genl_reply_fn)(const struct nlmsghdr *nlh, void *data);
int genl_talk(struct genl *g, genl_reply_fn reply, void *data);

/* Like genl_talk(), for a request that was already sent. */
int genl_receive(struct genl *g, genl_reply_fn reply, void *data);

/* Iterate over the attributes of a message or of a nest. */
#define genl_for_each(a, first, bytes)                                                       \
	for (const struct nlattr *a = (first), *a##_end = genl_end(a, bytes);                 \
	     genl_ok(a, a##_end); a = genl_next(a))

const struct nlattr *genl_attrs(const struct nlmsghdr *nlh, size_t *bytes);
const struct nlattr *genl_end(const struct nlattr *first, size_t bytes);
int genl_ok(const struct nlattr *a, const struct nlattr *end);
const struct nlattr *genl_next(const struct nlattr *a);
uint16_t genl_type(const struct nlattr *a);
size_t genl_len(const struct nlattr *a);
const void *genl_data(const struct nlattr *a);
/* Return the value of a u8, u16, u32 or u64 attribute. Its length determines the type. */
uint64_t genl_number(const struct nlattr *a);
/* Return the first attribute of this type of a message, or NULL. */
const struct nlattr *genl_find(const struct nlmsghdr *nlh, uint16_t type);

#endif
