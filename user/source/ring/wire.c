// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/ring/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int flt_ring_make(struct flt_ring_head **ring, int *memfd)
{
	struct flt_ring_head *r;
	int fd = memfd_create("flt-ring", MFD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, FLT_RING_BYTES))
		goto err;
	r = mmap(NULL, FLT_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r == MAP_FAILED)
		goto err;
	r->version = FLT_RING_VERSION;
	r->slot_count = FLT_RING_SLOTS;
	r->magic = FLT_RING_MAGIC;
	*ring = r;
	*memfd = fd;
	return 0;
err:
	err = -errno;
	close(fd);
	return err;
}

int flt_ring_send(int conn, const struct flt_rec_message *m, const int *fds, size_t nfds)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} c = { 0 };
	struct iovec v = { (void *)m, sizeof(*m) };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1 };

	if (nfds) {
		h.msg_control = &c;
		h.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c.h.cmsg_level = SOL_SOCKET;
		c.h.cmsg_type = SCM_RIGHTS;
		c.h.cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(&c.h), fds, nfds * sizeof(int));
	}
	return sendmsg(conn, &h, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Keep the first descriptor. Close others, which the padding of the buffer has room for. */
static void take_descriptors(struct cmsghdr *c, int *fd)
{
	size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int), i;
	int other;

	for (i = 0; i < n; i++) {
		memcpy(i ? &other : fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
		if (i)
			close(other);
	}
}

/* Take descriptor and sender out of the control messages. */
static void unpack(struct msghdr *h, int *fd, pid_t *sender)
{
	struct cmsghdr *c;
	struct ucred peer;

	for (c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_RIGHTS) {
			take_descriptors(c, fd);
		} else if (c->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&peer, CMSG_DATA(c), sizeof(peer));
			*sender = peer.pid;
		}
	}
}

int flt_ring_receive(int conn, struct flt_rec_message *m, int *fd, pid_t *sender)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
	} c;
	struct iovec v = { m, sizeof(*m) };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1,
			    .msg_control = &c, .msg_controllen = sizeof(c) };
	ssize_t n = recvmsg(conn, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*sender = 0;
	*fd = h.msg_flags & MSG_CTRUNC && n > 0 ? FLT_RING_NO_ROOM : -1;
	if (n < 0)
		return -errno;
	if (!n)
		return -EPIPE;
	unpack(&h, fd, sender);
	if (n != (ssize_t)sizeof(*m) || m->version != FLT_RING_VERSION) {
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
		return -EPROTO;
	}
	m->text[sizeof(m->text) - 1] = 0;
	m->token[sizeof(m->token) - 1] = 0;
	return 1;
}
