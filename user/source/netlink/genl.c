// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/netlink/genl.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* A large buffer, so that a dump needs few reads. */
#define RECEIVE_BYTES (1 << 20)
/* The kernel fills messages of a dump up to the size of the reader's buffer, at most 32 KiB. */
#define DUMP_BYTES (32 << 10)

struct flt_genl {
	struct nl_sock *socket;
	int family;
	uint8_t version;
	uint32_t sequence;	/* of the current request */
};

struct answer {
	struct flt_genl *genl;
	flt_genl_fn fn;
	void *arg;
	int error;		/* the first */
	bool done;
	bool interrupted;
	char sentence[256];	/* of the kernel */
};

/* libnl maps several errnos to one error; map the errors back as far as possible. */
static int errno_of(int nle)
{
	switch (nle < 0 ? -nle : nle) {
	case 0:
		return 0;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_INTR:
		return -EINTR;
	case NLE_MSG_TRUNC:
	case NLE_MSG_TOOSHORT:
	case NLE_MSG_OVERFLOW:
		return -EBADMSG;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_AF_NOSUPPORT:
		return -EAFNOSUPPORT;
	default:
		return -EIO;
	}
}

void flt_genl_extack(const struct nlmsghdr *nlh, char *text, uint32_t size)
{
	const uint32_t header = NLMSG_ALIGN(sizeof(*nlh));
	const struct nlmsgerr *err = (const void *)((const char *)nlh + header);
	uint32_t skip, length, left;
	const struct nlattr *attr;

	text[0] = '\0';
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS) || nlh->nlmsg_len < header)
		return;
	left = nlh->nlmsg_len - header;
	if (nlh->nlmsg_type == NLMSG_DONE) {
		skip = NLMSG_ALIGN(sizeof(int));
	} else {
		skip = NLMSG_ALIGN(sizeof(*err));
		if (left < skip)
			return;
		/* Without NLM_F_CAPPED, the payload of the request precedes the attributes. */
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED)) {
			if (err->msg.nlmsg_len < header || err->msg.nlmsg_len > left)
				return;
			skip += NLMSG_ALIGN(err->msg.nlmsg_len - header);
		}
	}
	if (left < skip)
		return;
	left -= skip;
	attr = (const void *)((const char *)nlh + header + skip);
	while (left >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN && attr->nla_len <= left) {
		if ((attr->nla_type & NLA_TYPE_MASK) == NLMSGERR_ATTR_MSG) {
			length = attr->nla_len - (uint32_t)NLA_HDRLEN;
			if (length >= size)
				length = size - 1;
			memcpy(text, (const char *)attr + NLA_HDRLEN, length);
			text[length] = '\0';
			return;
		}
		length = NLA_ALIGN(attr->nla_len);
		if (length > left)
			return;
		left -= length;
		attr = (const void *)((const char *)attr + length);
	}
}

static void note_error(struct answer *answer, int err)
{
	if (!answer->error)
		answer->error = err;
}

/* A process with CAP_NET_ADMIN may send to our port. */
static int on_any(struct nl_msg *msg, void *arg)
{
	(void)arg;
	return nlmsg_get_src(msg)->nl_pid ? NL_SKIP : NL_OK;
}

static int on_sequence(struct nl_msg *msg, void *arg)
{
	const struct answer *answer = arg;

	return nlmsg_hdr(msg)->nlmsg_seq == answer->genl->sequence ? NL_OK : NL_SKIP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct answer *answer = arg;
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct genlmsghdr *header;
	int ret;

	/* Read to the end even after an error, or the rest becomes the next answer. */
	if (answer->error || nlh->nlmsg_type != answer->genl->family)
		return NL_OK;
	if (!genlmsg_valid_hdr(nlh, 0)) {
		note_error(answer, -EBADMSG);
		return NL_OK;
	}
	header = nlmsg_data(nlh);
	ret = answer->fn ? answer->fn(answer->arg, genlmsg_attrdata(header, 0),
				      genlmsg_attrlen(header, 0)) : 0;
	if (ret)
		note_error(answer, ret);
	return NL_OK;
}

static int on_interrupted(struct nl_msg *msg, void *arg)
{
	struct answer *answer = arg;

	(void)msg;
	answer->interrupted = true;
	return NL_OK;
}

/* A dump that fails in the middle reports the error here, not in an NLMSG_ERROR. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct answer *answer = arg;
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	int err;

	answer->done = true;
	if (nlmsg_datalen(nlh) >= (int)sizeof(err)) {
		memcpy(&err, nlmsg_data(nlh), sizeof(err));
		if (err < 0) {
			flt_genl_extack(nlh, answer->sentence, sizeof(answer->sentence));
			note_error(answer, err);
		}
	}
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct answer *answer = arg;

	(void)msg;
	answer->done = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct answer *answer = arg;
	const struct nlmsghdr *nlh = (const void *)((const char *)err - NLMSG_HDRLEN);

	if (from->nl_pid || nlh->nlmsg_seq != answer->genl->sequence)
		return NL_SKIP;
	answer->done = true;
	flt_genl_extack(nlh, answer->sentence, sizeof(answer->sentence));
	note_error(answer, err->error < 0 ? err->error : -EBADMSG);
	return NL_STOP;
}

int flt_genl_family(const struct flt_genl *g)
{
	return g->family;
}

struct nl_msg *flt_genl_request(struct flt_genl *genl, uint8_t command, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg)
		return NULL;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, genl->family, 0, NLM_F_REQUEST | flags,
			 command, genl->version)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int flt_genl_drop(struct nl_msg *request)
{
	nlmsg_free(request);
	return -ENOMEM;
}

static int converse(struct flt_genl *genl, struct nl_msg *request, struct answer *answer,
		    struct flt_errmsg *e)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret;

	if (!cb)
		return flt_genl_drop(request);
	nl_cb_set(cb, NL_CB_MSG_IN, NL_CB_CUSTOM, on_any, answer);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, answer);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, answer);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, answer);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, answer);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, answer);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, answer);

	nl_complete_msg(genl->socket, request);
	genl->sequence = nlmsg_hdr(request)->nlmsg_seq;
	ret = nl_send(genl->socket, request);
	nlmsg_free(request);
	while (ret >= 0 && !answer->done)
		ret = nl_recvmsgs(genl->socket, cb);
	nl_cb_put(cb);

	if (answer->error == -EPERM)
		return flt_errmsg_set(e, -EPERM, "%s; run fltctl as root",
				      answer->sentence[0] ? answer->sentence :
				      "missing capability: CAP_PERFMON or CAP_SYS_ADMIN");
	if (answer->error && answer->sentence[0])
		return flt_errmsg_set(e, answer->error, "%s", answer->sentence);
	if (answer->error)
		return flt_errmsg_errno(e, answer->error, "the flt module refused");
	if (!answer->done)
		return flt_errmsg_set(e, errno_of(ret), "cannot talk to the flt module: %s",
				      nl_geterror(ret));
	return answer->interrupted ? -EINTR : 0;
}

int flt_genl_do(struct flt_genl *genl, struct nl_msg *request, flt_genl_fn fn, void *arg,
		struct flt_errmsg *e)
{
	struct answer answer = { .genl = genl, .fn = fn, .arg = arg };

	nlmsg_hdr(request)->nlmsg_flags |= NLM_F_ACK;
	return converse(genl, request, &answer, e);
}

int flt_genl_dump(struct flt_genl *genl, struct nl_msg *request, flt_genl_fn fn, void *arg,
		  struct flt_errmsg *e)
{
	struct answer answer = { .genl = genl, .fn = fn, .arg = arg };

	return converse(genl, request, &answer, e);
}

int flt_genl_open(struct flt_genl **genl, const char *family, uint8_t version,
		  struct flt_errmsg *e)
{
	struct flt_genl *g = calloc(1, sizeof(*g));
	int ret, one = 1;

	if (!g)
		return -ENOMEM;
	g->version = version;
	g->socket = nl_socket_alloc();
	if (!g->socket) {
		ret = -ENOMEM;
		goto err_genl;
	}
	ret = genl_connect(g->socket);
	if (ret) {
		ret = flt_errmsg_set(e, errno_of(ret), "cannot open a netlink socket: %s",
				     nl_geterror(ret));
		goto err_socket;
	}
	/* Since Linux 4.12 and 4.3. Without them, errors have no message. */
	setsockopt(nl_socket_get_fd(g->socket), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(g->socket), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	nl_socket_enable_msg_peek(g->socket);
	nl_socket_set_msg_buf_size(g->socket, DUMP_BYTES);
	nl_socket_set_buffer_size(g->socket, RECEIVE_BYTES, 0);

	g->family = genl_ctrl_resolve(g->socket, family);
	if (g->family < 0) {
		ret = g->family == -NLE_OBJ_NOTFOUND ? -EOPNOTSUPP : errno_of(g->family);
		flt_errmsg_set(e, ret, "cannot find the netlink family '%s': %s", family,
			       nl_geterror(g->family));
		goto err_socket;
	}
	*genl = g;
	return 0;

err_socket:
	nl_socket_free(g->socket);
err_genl:
	free(g);
	return ret;
}

void flt_genl_close(struct flt_genl *g)
{
	if (!g)
		return;
	nl_socket_free(g->socket);
	free(g);
}
