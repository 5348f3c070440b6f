// SPDX-License-Identifier: GPL-2.0-or-later
/* image.c - the conversation with an image: see include/flt_ring.h. */
#include "source/ring/image.h"
#include "source/proc/procfs.h"
#include "source/ring/wire.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Time that a killed process gets to end. */
#define KILL_MS 1000

/* Send configuration and ring. uffd >= 0: of a forked child. */
static int configure(struct flt_rings *r, struct image *i, int uffd)
{
	struct flt_rec_message m = { .type = FLT_REC_CONFIG, .version = FLT_RING_VERSION,
				     .config = r->config };
	int fds[2] = { -1, uffd }, ret;

	m.config.flags |= r->inlined ? FLT_REC_INLINED : 0;
	if (getrandom(&m.image, sizeof(m.image), 0) != sizeof(m.image))
		return -EIO;
	i->id = m.image;
	ret = flt_ring_make(&i->ring, &fds[0]);
	if (ret)
		return ret;
	i->public.totals = &i->ring->totals;
	ret = flt_ring_send(i->conn, &m, fds, uffd >= 0 ? 2 : 1);
	close(fds[0]);
	i->state = STARTING;
	return ret;
}

ssize_t flt_image_drain(struct flt_rings *r, struct image *i)
{
	const char *data = (const char *)i->ring + FLT_RING_DATA;
	uint64_t head, n, place;
	ssize_t taken = 0;
	int ret;

	head = __atomic_load_n(&i->ring->head, __ATOMIC_ACQUIRE);
	/* The image can write to this page, so check every index. */
	if (head - i->tail > FLT_RING_SLOTS) {
		i->public.corrupt = true;
		return 0;
	}
	if (i->ring->counts[head & 1].inline_faults)
		r->inlined = true;
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

/* Copy the counts of the faults before the head, which may move meanwhile. */
static void read_counts(const struct flt_ring_head *ring, struct flt_ring_counts *counts)
{
	uint64_t head, after = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	int tries = 0;

	/* A process that is hostile may move its head for ever. */
	do {
		head = after;
		*counts = ring->counts[head & 1];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	} while (after != head && ++tries < 1000);
}

static void add_members(uint64_t *to, const uint64_t *from, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes / sizeof(*to); i++)
		to[i] += from[i];
}

void flt_ring_sum_add(struct flt_ring_sum *sum, const struct flt_ring_image *image)
{
	/* An image begins with its public part. */
	const struct image *i = (const struct image *)image;
	struct flt_ring_counts counts;

	read_counts(i->ring, &counts);
	add_members((uint64_t *)&sum->faults, (const uint64_t *)&counts, sizeof(counts));
	add_members((uint64_t *)&sum->totals, (const uint64_t *)image->totals,
		    sizeof(sum->totals));
}

void flt_image_hang_up(struct flt_rings *r, struct image *i)
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

bool flt_image_has_no_server(const struct image *i)
{
	struct pollfd p = { .fd = i->server, .events = POLLIN };

	return i->server < 0 || poll(&p, 1, 0) != 0;
}

void flt_image_free(struct image *i)
{
	if (i->server >= 0)
		close(i->server);
	free(i);
}

static void end(struct flt_rings *r, struct image *i, const char *why)
{
	bool began = i->state == RUNNING;

	if (began) {
		flt_image_drain(r, i);
		r->to.end(r->to.arg, &i->public, why);
	}
	flt_image_hang_up(r, i);
}

bool flt_image_send_kill(const struct image *i)
{
	return i->pidfd >= 0 && !syscall(SYS_pidfd_send_signal, i->pidfd, SIGKILL, NULL, 0);
}

void flt_image_kill(struct flt_rings *r, struct image *i, const char *why)
{
	struct pollfd p = { .fd = i->pidfd, .events = POLLIN };

	/* The server may be stopped or dead, so do not rely on it. */
	if (i->pidfd >= 0) {
		flt_image_send_kill(i);
		/* What is recorded after this time is lost, if the process cannot end. */
		poll(&p, 1, KILL_MS);
	}
	end(r, i, why);
}

/* Kill a forked child that was not handed over, because its evicted pages are lost. */
static void kill_child(struct flt_rings *r, struct image *i, const char *why)
{
	bool over = flt_procfs_ends((uint32_t)i->public.pid);
	/* Without a pidfd: the child waits for our answer, so the PID is still its own. */
	bool sent = i->pidfd < 0 ? !kill(i->public.pid, SIGKILL) : flt_image_send_kill(i);

	if (sent && !over)
		r->to.refused(r->to.arg, i->public.pid, why, false);
	flt_image_hang_up(r, i);
}

/*
 * A server ended on its own, after it gave its forked children their pages. Those that have said
 * hello meanwhile wait for an answer.
 */
static void end_server(struct flt_rings *r, struct image *i, const char *why)
{
	const bool began = i->state == RUNNING;
	struct image *child;

	end(r, i, why);
	for (child = r->first; began && child; child = child->next) {
		if (child->state != WAITING || child->parent != i->id)
			continue;
		r->to.refused(r->to.arg, child->public.pid, "its parent ended too early", true);
		flt_image_hang_up(r, child);
	}
}

#define PARENT_LOST "it was killed: the fault server of its parent died"

/* Handle a connection that ended without a message. */
static void lost(struct flt_rings *r, struct image *i)
{
	struct image *child;
	bool over;

	if (i->state != RUNNING) {
		flt_image_hang_up(r, i);
		return;
	}
	/* When an init ends, the kernel kills all processes of its namespace, servers first. */
	over = flt_procfs_ends((uint32_t)i->public.pid);
	/* Kill the process, because its memory would be wrong: no server handles its faults. */
	if (flt_image_send_kill(i) && !over)
		end(r, i, "its fault server died");
	else
		end(r, i, NULL);
	i->state = LOST;
	/* It has ended. One image may be lost per process of a command that runs for days. */
	if (i->server >= 0)
		close(i->server);
	i->server = -1;
	for (child = r->first; child; child = child->next)
		if (child->state == WAITING && child->parent == i->id)
			kill_child(r, child, PARENT_LOST);
}

/* Return the image of this id that runs, or whose server died. */
static struct image *parent_by_id(struct flt_rings *r, uint64_t id)
{
	struct image *i;

	for (i = r->first; i; i = i->next)
		if ((i->state == RUNNING || i->state == LOST) && i->id == id)
			return i;
	return NULL;
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
	flt_image_hang_up(r, i);
}

pid_t flt_image_peer(const struct image *i)
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
	pid_t pid = flt_image_peer(i);
	struct image *other;
	int ret = 0;

	if (!pid) {
		flt_image_hang_up(r, i);
		return;
	}
	i->public.pid = pid;
	i->parent = m->image;
	i->fork_seq = m->fork_seq;
	i->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	ret = i->pidfd < 0 ? -errno : 0;
	if (!m->image) {
		/* After an exec, release the server of the earlier image. */
		other = running(r, pid, i);
		ask.type = FLT_REC_BYE;
		if (other)
			flt_ring_send(other->conn, &ask, NULL, 0);
		if (!ret)
			ret = configure(r, i, -1);
		if (ret)
			turn_away(r, i, pid, ret);
		return;
	}
	other = parent_by_id(r, m->image);
	i->public.forked_from = other ? other->public.pid : 0;
	ret = 0;	/* released() asks for the pidfd again */
	ask.type = FLT_REC_RELEASE;
	i->state = WAITING;
	if (other && other->state == RUNNING)
		ret = flt_ring_send(other->conn, &ask, NULL, 0);
	if (other && (other->state == LOST || ret)) {
		/*
		 * A server that ends on its own waits for us, and gives the child its pages. One
		 * that gets no message would never hand the child over.
		 */
		kill_child(r, i, PARENT_LOST);
	} else if (!other) {
		/* The child waits for our answer, unless it was killed with its parent. */
		if (!flt_procfs_ends((uint32_t)pid))
			r->to.refused(r->to.arg, pid, "its parent ended too early", false);
		flt_image_hang_up(r, i);
	}
}

static void released(struct flt_rings *r, const struct image *parent,
		     const struct flt_rec_message *m, int uffd)
{
	struct image *i;
	int ret;

	for (i = r->first; i; i = i->next) {
		if (i->state != WAITING || i->parent != parent->id ||
		    i->fork_seq != m->fork_seq)
			continue;
		if (uffd == FLT_RING_NO_ROOM) {
			kill_child(r, i, "it was killed: fltctl has too many open files");
			break;
		}
		/* Without a pidfd the child could not be killed when its own server dies. */
		if (uffd >= 0 && i->pidfd < 0)
			i->pidfd = (int)syscall(SYS_pidfd_open, i->public.pid, 0);
		ret = uffd < 0 ? 0 : i->pidfd < 0 ? -errno : configure(r, i, uffd);
		if (ret)
			kill_child(r, i, "it was killed: fltctl cannot make its ring (too many "
				   "open files, or no memory)");
		if (uffd >= 0)
			break;
		r->to.refused(r->to.arg, i->public.pid, "its parent let it go unlimited", true);
		flt_image_hang_up(r, i);
		break;
	}
	if (uffd >= 0)
		close(uffd);
}

int flt_image_hear(struct flt_rings *r, struct image *i)
{
	struct flt_rec_message m;
	pid_t sender;
	int fd, ret;

	ret = flt_ring_receive(i->conn, &m, &fd, &sender);
	if (ret == -EAGAIN)
		return 0;
	if (ret < 0) {
		lost(r, i);
		return 0;
	}
	ret = 0;
	/* The token was compared before, if this is not the first message. */
	if (i->state == FRESH && strcmp(m.token, r->token))
		m.type = 0;
	if (i->state == FRESH && m.type != FLT_REC_HELLO && m.type != FLT_REC_REFUSED)
		flt_image_hang_up(r, i);
	switch (m.type) {
	case FLT_REC_HELLO:
		if (i->state == FRESH)
			hello(r, i, &m);
		break;
	case FLT_REC_READY:
		if (i->state != STARTING)
			break;
		/* Not m.pid, which is a number in the image's PID namespace. */
		i->public.server = sender;
		i->server = (int)syscall(SYS_pidfd_open, sender, 0);
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
		end_server(r, i, NULL);
		break;
	case FLT_REC_FATAL:
		end_server(r, i, m.text);
		break;
	case FLT_REC_REFUSED:
		r->to.refused(r->to.arg, m.pid ? flt_image_peer(i) : 0, m.text, false);
		end(r, i, NULL);
		break;
	}
	if (fd >= 0)
		close(fd);
	return ret;
}
