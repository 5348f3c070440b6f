// SPDX-License-Identifier: GPL-2.0-or-later
#include "genl.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

const struct nlattr *genl_end(const struct nlattr *first, size_t bytes)
{
	return (const struct nlattr *)((const char *)first + bytes);
}

int genl_ok(const struct nlattr *a, const struct nlattr *end)
{
	size_t left = (size_t)((const char *)end - (const char *)a);

	return (const char *)a < (const char *)end && left >= sizeof(*a) &&
	       a->nla_len >= sizeof(*a) && a->nla_len <= left;
}

const struct nlattr *genl_next(const struct nlattr *a)
{
	return (const struct nlattr *)((const char *)a + NLA_ALIGN(a->nla_len));
}

uint16_t genl_type(const struct nlattr *a)
{
	return a->nla_type & NLA_TYPE_MASK;
}

size_t genl_len(const struct nlattr *a)
{
	return a->nla_len - sizeof(*a);
}

const void *genl_data(const struct nlattr *a)
{
	return a + 1;
}

uint64_t genl_number(const struct nlattr *a)
{
	uint64_t v = 0;

	/* The tests run only on little-endian machines. */
	memcpy(&v, genl_data(a), genl_len(a) < sizeof(v) ? genl_len(a) : sizeof(v));
	return v;
}

const struct nlattr *genl_attrs(const struct nlmsghdr *nlh, size_t *bytes)
{
	size_t head = NLMSG_HDRLEN + GENL_HDRLEN;

	*bytes = nlh->nlmsg_len > head ? nlh->nlmsg_len - head : 0;
	return (const struct nlattr *)((const char *)nlh + head);
}

struct nlmsghdr *genl_start(struct genl *g, uint16_t type, uint16_t flags, uint8_t cmd,
			    uint8_t version)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)g->out;
	struct genlmsghdr *gh = (struct genlmsghdr *)(g->out + NLMSG_HDRLEN);

	memset(g->out, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	nlh->nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	nlh->nlmsg_seq = ++g->seq;
	gh->cmd = cmd;
	gh->version = version;
	return nlh;
}

void genl_put(struct genl *g, uint16_t type, const void *data, size_t len)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)g->out;
	struct nlattr a = { (uint16_t)(sizeof(a) + len), type };

	memset(g->out + nlh->nlmsg_len, 0, NLA_ALIGN(a.nla_len));
	memcpy(g->out + nlh->nlmsg_len, &a, sizeof(a));
	if (len)
		memcpy(g->out + nlh->nlmsg_len + sizeof(a), data, len);
	nlh->nlmsg_len += NLA_ALIGN(a.nla_len);
}

void genl_put_u32(struct genl *g, uint16_t type, uint32_t value)
{
	genl_put(g, type, &value, sizeof(value));
}

static void extack_read(struct genl *g, const void *first, size_t bytes)
{
	genl_for_each(a, (const struct nlattr *)first, bytes) {
		if (genl_type(a) == NLMSGERR_ATTR_MSG && genl_len(a) < sizeof(g->error))
			memcpy(g->error, genl_data(a), genl_len(a));
		else if (genl_type(a) == NLMSGERR_ATTR_OFFS)
			g->error_offset = (uint32_t)genl_number(a);
	}
}

/*
 * Read the error of a request or of the end of a dump. At the end of a dump, only the error
 * number precedes the extack attributes, not the request.
 */
static int error_read(struct genl *g, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *e = NLMSG_DATA(nlh);
	size_t skip = nlh->nlmsg_type == NLMSG_DONE ? sizeof(e->error) : sizeof(*e);
	int error;

	memcpy(&error, NLMSG_DATA(nlh), sizeof(error));
	if (nlh->nlmsg_type == NLMSG_ERROR && !(nlh->nlmsg_flags & NLM_F_CAPPED) && error)
		skip += NLMSG_ALIGN(e->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && nlh->nlmsg_len > NLMSG_HDRLEN + skip)
		extack_read(g, (const char *)e + skip, nlh->nlmsg_len - NLMSG_HDRLEN - skip);
	return error;
}

int genl_receive(struct genl *g, genl_reply_fn reply, void *data)
{
	g->interrupted = 0;
	memset(g->error, 0, sizeof(g->error));
	g->error_offset = 0;
	for (;;) {
		ssize_t got = recv(g->fd, g->in, sizeof(g->in), 0);
		const struct nlmsghdr *nlh = (const void *)g->in;

		if (got < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		for (size_t left = (size_t)got; NLMSG_OK(nlh, left); nlh = NLMSG_NEXT(nlh, left)) {
			if (nlh->nlmsg_seq != g->seq)
				continue;
			if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
				g->interrupted = 1;
			if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE)
				return error_read(g, nlh);
			if (reply)
				reply(nlh, data);
		}
	}
}

int genl_talk(struct genl *g, genl_reply_fn reply, void *data)
{
	const struct nlmsghdr *nlh = (const void *)g->out;

	if (send(g->fd, g->out, nlh->nlmsg_len, 0) < 0)
		return -errno;
	return genl_receive(g, reply, data);
}

static void family_read(const struct nlmsghdr *nlh, void *family)
{
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	genl_for_each(a, first, bytes) {
		if (genl_type(a) == CTRL_ATTR_FAMILY_ID)
			*(uint16_t *)family = (uint16_t)genl_number(a);
	}
}

int genl_open(struct genl *g, const char *family)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	struct timeval patience = { .tv_sec = 20 };
	int on = 1, rc;

	memset(g, 0, sizeof(*g));
	g->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (g->fd < 0)
		return -errno;
	setsockopt(g->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(g->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (bind(g->fd, (struct sockaddr *)&addr, sizeof(addr)))
		return -errno;
	genl_start(g, GENL_ID_CTRL, NLM_F_REQUEST | NLM_F_ACK, CTRL_CMD_GETFAMILY, 1);
	genl_put(g, CTRL_ATTR_FAMILY_NAME, family, strlen(family) + 1);
	rc = genl_talk(g, family_read, &g->family);
	if (rc == 0 && !g->family)
		rc = -ENOENT;
	if (rc)
		genl_close(g);
	return rc;
}

void genl_close(struct genl *g)
{
	close(g->fd);
	g->fd = -1;
}

const struct nlattr *genl_find(const struct nlmsghdr *nlh, uint16_t type)
{
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	genl_for_each(a, first, bytes) {
		if (genl_type(a) == type)
			return a;
	}
	return NULL;
}
