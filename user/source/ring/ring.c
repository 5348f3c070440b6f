// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/ring/ring.h"
#include "source/proc/procfs.h"
#include "source/ring/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum state {
	FRESH = 0,	/* connected, no message yet */
	WAITING,	/* a forked child; its parent's server still serves it */
	STARTING,	/* configured */
	RUNNING,
	OVER,		/* to be freed */
};

struct image {
	struct flt_ring_image public;
	struct image *next;
	enum state state;
	int conn, pidfd;
	uint64_t fork_seq;
	struct flt_ring_head *ring;
	uint64_t tail;
};

struct flt_rings {
	struct flt_rec_config config;
	struct flt_ring_receiver to;
	char name[40];
	int listener, epoll;
	struct image *first;
};

/* Send configuration and ring. uffd >= 0: of a forked child. */
static int configure(struct flt_rings *r, struct image *i, int uffd)
{
	struct flt_rec_message m = { .type = FLT_REC_CONFIG, .version = FLT_RING_VERSION,
				     .config = r->config };
	int fds[2] = { -1, uffd }, ret;

	ret = flt_ring_make(&i->ring, &fds[0]);
	if (ret)
		return ret;
	i->public.totals = &i->ring->totals;
	ret = flt_ring_send(i->conn, &m, fds, uffd >= 0 ? 2 : 1);
	close(fds[0]);
	i->state = STARTING;
	return ret;
}

static ssize_t drain(struct flt_rings *r, struct image *i)
{
	const char *data = (const char *)i->ring + FLT_RING_DATA;
	uint64_t head, n, place;
	ssize_t taken = 0;
	int ret;

	head = __atomic_load_n(&i->ring->head, __ATOMIC_ACQUIRE);
	/* The image can write to this page, so check every index. */
	if (head - i->tail > FLT_RING_SLOTS)
		return 0;
	while (i->tail != head) {
		place = i->tail & (FLT_RING_SLOTS - 1);
		n = head - i->tail;
		if (n > FLT_RING_SLOTS - place)
			n = FLT_RING_SLOTS - place;
		ret = r->to.slots(r->to.arg, &i->public, data + place * FLT_RING_SLOT, n);
		i->tail += n;
		__atomic_store_n(&i->ring->tail, i->tail, __ATOMIC_RELEASE);
		if (ret)
			return ret;
		taken += (ssize_t)n;
	}
	return taken;
}

static void hang_up(struct flt_rings *r, struct image *i)
{
	if (i->conn >= 0) {
		epoll_ctl(r->epoll, EPOLL_CTL_DEL, i->conn, NULL);
		close(i->conn);
	}
	if (i->pidfd >= 0)
		close(i->pidfd);
	if (i->ring)
		munmap(i->ring, FLT_RING_BYTES);
	i->conn = i->pidfd = -1;
	i->ring = NULL;
	i->state = OVER;
}

static void end(struct flt_rings *r, struct image *i, const char *why)
{
	bool began = i->state == RUNNING;

	if (began) {
		drain(r, i);
		r->to.end(r->to.arg, &i->public, why);
	}
	hang_up(r, i);
}

/* Handle a connection that ended without a message. */
static void lost(struct flt_rings *r, struct image *i)
{
	bool over;

	if (i->state != RUNNING) {
		hang_up(r, i);
		return;
	}
	/* When an init ends, the kernel kills all processes of its namespace, servers first. */
	over = flt_procfs_ends((uint32_t)i->public.pid);
	/* Kill the process, because its memory would be wrong: no server handles its faults. */
	if (!syscall(SYS_pidfd_send_signal, i->pidfd, SIGKILL, NULL, 0) && !over)
		end(r, i, "its fault server died");
	else
		end(r, i, NULL);
}

static struct image *running(struct flt_rings *r, pid_t pid, const struct image *but)
{
	struct image *i;

	for (i = r->first; i; i = i->next)
		if (i->state == RUNNING && i->public.pid == pid && i != but)
			return i;
	return NULL;
}

/* Report that the image could not get a ring. */
static void turn_away(struct flt_rings *r, struct image *i, pid_t pid, int err)
{
	char why[128];

	snprintf(why, sizeof(why), "cannot make its ring: %s", strerror(-err));
	r->to.refused(r->to.arg, pid, why, false);
	hang_up(r, i);
}

/* Return the peer's PID in our namespace, from the kernel; 0: unknown. */
static pid_t peer_of(const struct image *i)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	if (getsockopt(i->conn, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.pid <= 0)
		return 0;
	return peer.pid;
}

static void hello(struct flt_rings *r, struct image *i, const struct flt_rec_message *m)
{
	struct flt_rec_message ask = { .version = FLT_RING_VERSION, .fork_seq = m->fork_seq };
	pid_t pid = peer_of(i);
	struct image *other;
	int ret;

	if (!pid) {
		hang_up(r, i);
		return;
	}
	i->public.pid = pid;
	i->public.forked_from = m->fork_parent;
	i->fork_seq = m->fork_seq;
	i->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (!m->fork_parent) {
		/* After an exec, release the server of the earlier image. */
		other = running(r, pid, i);
		ask.type = FLT_REC_BYE;
		if (other)
			flt_ring_send(other->conn, &ask, NULL, 0);
		ret = configure(r, i, -1);
		if (ret)
			turn_away(r, i, pid, ret);
		return;
	}
	other = running(r, m->fork_parent, i);
	ask.type = FLT_REC_RELEASE;
	i->state = WAITING;
	if (!other || flt_ring_send(other->conn, &ask, NULL, 0)) {
		/* The child waits for our answer, unless it was killed with its parent. */
		if (!flt_procfs_ends((uint32_t)pid))
			r->to.refused(r->to.arg, pid, "its parent ended too early", false);
		hang_up(r, i);
	}
}

static void released(struct flt_rings *r, const struct image *parent,
		     const struct flt_rec_message *m, int uffd)
{
	struct image *i;
	int ret;

	for (i = r->first; i; i = i->next) {
		if (i->state != WAITING || i->public.forked_from != parent->public.pid ||
		    i->fork_seq != m->fork_seq)
			continue;
		if (uffd == FLT_RING_NO_ROOM) {
			/* Its evicted pages are lost. */
			syscall(SYS_pidfd_send_signal, i->pidfd, SIGKILL, NULL, 0);
			turn_away(r, i, i->public.pid, -EMFILE);
			break;
		}
		ret = uffd < 0 ? 0 : configure(r, i, uffd);
		if (ret)
			turn_away(r, i, i->public.pid, ret);
		if (uffd >= 0)
			break;
		r->to.refused(r->to.arg, i->public.pid, "its parent let it go unlimited", true);
		hang_up(r, i);
		break;
	}
	if (uffd >= 0)
		close(uffd);
}

static int hear(struct flt_rings *r, struct image *i)
{
	struct flt_rec_message m;
	int fd, ret;

	ret = flt_ring_receive(i->conn, &m, &fd);
	if (ret == -EAGAIN)
		return 0;
	if (ret < 0) {
		lost(r, i);
		return 0;
	}
	ret = 0;
	switch (m.type) {
	case FLT_REC_HELLO:
		if (i->state == FRESH)
			hello(r, i, &m);
		break;
	case FLT_REC_READY:
		if (i->state != STARTING)
			break;
		i->public.server = m.pid;
		i->public.region = m.region;
		i->public.region_bytes = m.region_bytes;
		i->state = RUNNING;
		ret = r->to.begin(r->to.arg, &i->public);
		break;
	case FLT_REC_RELEASED:
		released(r, i, &m, fd);
		fd = -1;
		break;
	case FLT_REC_BYE:
		end(r, i, NULL);
		break;
	case FLT_REC_FATAL:
		end(r, i, m.text);
		break;
	case FLT_REC_REFUSED:
		r->to.refused(r->to.arg, m.pid ? peer_of(i) : 0, m.text, false);
		hang_up(r, i);
		break;
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Return the number of images. */
static int admit(struct flt_rings *r)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct image *i;
	int fd, n = 0;

	while ((fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		i = calloc(1, sizeof(*i));
		if (!i) {
			close(fd);	/* The process runs unlimited without an answer. */
			continue;
		}
		i->conn = fd;
		i->pidfd = -1;
		ev.data.ptr = i;
		i->next = r->first;
		r->first = i;
		if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev))
			hang_up(r, i);
		n++;
	}
	return n;
}

static void sweep(struct flt_rings *r)
{
	struct image **p = &r->first, *i;

	while ((i = *p)) {
		if (i->state != OVER) {
			p = &i->next;
			continue;
		}
		*p = i->next;
		free(i);
	}
}

int flt_rings_dispatch(struct flt_rings *r)
{
	struct epoll_event ev[32];
	int n, k, heard = 0, ret = 0;

	n = epoll_wait(r->epoll, ev, 32, 0);
	for (k = 0; k < n && !ret; k++) {
		struct image *i = ev[k].data.ptr;

		if (!i) {
			heard += admit(r);
		} else if (i->state != OVER) {
			heard++;
			ret = hear(r, i);
		}
	}
	sweep(r);
	return ret ? ret : heard;
}

ssize_t flt_rings_drain(struct flt_rings *r)
{
	ssize_t sum = 0, n;
	struct image *i;

	for (i = r->first; i; i = i->next) {
		if (i->state != RUNNING)
			continue;
		n = drain(r, i);
		if (n < 0)
			return n;
		sum += n;
	}
	return sum;
}

int flt_rings_open(struct flt_rings **rings, const struct flt_rec_config *config,
		   const struct flt_ring_receiver *receiver, struct flt_errmsg *e)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = NULL };
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct flt_rings *r = calloc(1, sizeof(*r));
	uint64_t chance[2];
	int err;

	if (!r)
		return -ENOMEM;
	r->config = *config;
	r->to = *receiver;
	r->listener = r->epoll = -1;
	/*
	 * An abstract name leaves no file. The name is random, because a process that knows
	 * the name is trusted.
	 */
	if (getrandom(chance, sizeof(chance), 0) != sizeof(chance))
		goto err;
	snprintf(r->name, sizeof(r->name), "flt-%016lx%016lx", (unsigned long)chance[0],
		 (unsigned long)chance[1]);
	memcpy(a.sun_path + 1, r->name, strlen(r->name));
	r->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->listener < 0 || r->epoll < 0 ||
	    bind(r->listener, (struct sockaddr *)&a,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(r->name))) ||
	    listen(r->listener, 128) || epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->listener, &ev))
		goto err;
	*rings = r;
	return 0;
err:
	err = -errno;
	flt_rings_close(r);
	return flt_errmsg_errno(e, err, "cannot make the recorder's socket");
}

void flt_rings_close(struct flt_rings *r)
{
	struct image *i;

	if (!r)
		return;
	for (i = r->first; i; i = i->next) {
		/* The server may be stopped or dead, so do not rely on it. */
		if (i->pidfd >= 0 && i->state == RUNNING)
			syscall(SYS_pidfd_send_signal, i->pidfd, SIGKILL, NULL, 0);
		hang_up(r, i);
	}
	sweep(r);
	if (r->listener >= 0)
		close(r->listener);
	if (r->epoll >= 0)
		close(r->epoll);
	free(r);
}

const char *flt_rings_name(const struct flt_rings *r)
{
	return r->name;
}

int flt_rings_fd(const struct flt_rings *r)
{
	return r->epoll;
}

size_t flt_rings_live(const struct flt_rings *r)
{
	const struct image *i;
	size_t n = 0;

	for (i = r->first; i; i = i->next)
		n += i->state != OVER;
	return n;
}

void flt_rings_each(struct flt_rings *r, void (*fn)(void *arg, struct flt_ring_image *image),
		    void *arg)
{
	struct image *i;

	for (i = r->first; i; i = i->next)
		if (i->state == RUNNING)
			fn(arg, &i->public);
}

void flt_ring_totals_add(struct flt_ring_totals *sum, const struct flt_ring_totals *t)
{
	const uint64_t *from = (const uint64_t *)t;
	uint64_t *to = (uint64_t *)sum;
	size_t i;

	for (i = 0; i < sizeof(*t) / sizeof(uint64_t); i++)
		to[i] += from[i];
}
