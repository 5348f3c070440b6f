// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/ring/ring.h"
#include "source/proc/lineage.h"
#include "source/proc/procfs.h"
#include "source/ring/image.h"
#include "text/clock.h"
#include "text/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * After the command, a process that does not start its image must not keep fltctl from ending.
 * Images start within milliseconds, unless they are stopped or the machine is very busy.
 */
#define PATIENCE_NS (10 * FLT_NSEC_PER_SEC)

/*
 * Let a process run unlimited for which there is no descriptor. The one in reserve takes its
 * connection, or else the process would wait, and fltctl would find the listener readable for ever.
 */
static bool turn_away(struct flt_rings *r)
{
	struct image i = { .conn = -1 };
	pid_t pid;

	if (r->reserve >= 0)
		close(r->reserve);
	i.conn = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (i.conn >= 0) {
		pid = flt_image_peer(&i);
		if (!flt_lineage_is_stranger(pid, getpid()))
			r->to.refused(r->to.arg, pid, "fltctl has too many open files (raise "
				      "ulimit -Hn)", false);
		close(i.conn);
	}
	r->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return i.conn >= 0;
}

/* Return the number of images. */
static int admit(struct flt_rings *r)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct image *i;
	int fd, n = 0, k, on = 1;

	/* Not more at a time, so that strangers cannot keep us from the rings. */
	for (k = 0; k < 64; k++) {
		fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE) && turn_away(r))
			continue;
		if (fd < 0)
			break;
		i = calloc(1, sizeof(*i));
		if (!i) {
			close(fd);	/* The process runs unlimited without an answer. */
			continue;
		}
		i->conn = fd;
		i->pidfd = i->server = -1;
		i->since = flt_clock_ns(CLOCK_MONOTONIC);
		if (flt_lineage_is_stranger(flt_image_peer(i), getpid())) {
			close(fd);
			flt_image_free(i);
			continue;
		}
		setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
		ev.data.ptr = i;
		i->next = r->first;
		r->first = i;
		if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev))
			flt_image_hang_up(r, i);
		n++;
	}
	return n;
}

/* Free images that are over. wait: not those whose servers have not ended. */
static void sweep(struct flt_rings *r, bool wait)
{
	struct image **p = &r->first, *i;

	while ((i = *p)) {
		if (i->state != OVER || (wait && !flt_image_has_no_server(i))) {
			p = &i->next;
			continue;
		}
		*p = i->next;
		flt_image_free(i);
	}
}

void flt_rings_expire(struct flt_rings *r)
{
	uint64_t now = flt_clock_ns(CLOCK_MONOTONIC), from;
	struct image *i;

	if (!r->expires_from)
		r->expires_from = now;
	if (now - r->expires_from >= PATIENCE_NS)
		sweep(r, false);
	for (i = r->first; i; i = i->next) {
		from = i->since > r->expires_from ? i->since : r->expires_from;
		if (i->state >= RUNNING || now - from < PATIENCE_NS)
			continue;
		if (i->state != FRESH)
			r->to.refused(r->to.arg, i->public.pid, "it did not start within 10 s",
				      false);
		flt_image_hang_up(r, i);
	}
	sweep(r, true);
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
		} else if (i->state < OVER) {
			heard++;
			ret = flt_image_hear(r, i);
		}
	}
	sweep(r, true);
	return ret ? ret : heard;
}

ssize_t flt_rings_drain(struct flt_rings *r)
{
	ssize_t sum = 0, n;
	struct image *i;

	for (i = r->first; i; i = i->next) {
		if (i->state != RUNNING)
			continue;
		n = flt_image_drain(r, i);
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
	uint64_t chance[4];
	int err;

	if (!r)
		return -ENOMEM;
	r->config = *config;
	r->to = *receiver;
	r->listener = r->epoll = r->reserve = -1;
	/*
	 * An abstract name leaves no file. Everybody can read the name in /proc/net/unix, but
	 * the token only in the environment of the command.
	 */
	if (getrandom(chance, sizeof(chance), 0) != sizeof(chance))
		goto err;
	snprintf(r->name, sizeof(r->name), "flt-%016lx%016lx", (unsigned long)chance[0],
		 (unsigned long)chance[1]);
	snprintf(r->token, sizeof(r->token), "%016lx%016lx", (unsigned long)chance[2],
		 (unsigned long)chance[3]);
	snprintf(r->address, sizeof(r->address), "%s:%s:%u", r->name, r->token,
		 flt_procfs_filters((uint32_t)getpid()));
	memcpy(a.sun_path + 1, r->name, strlen(r->name));
	r->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	r->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (r->listener < 0 || r->epoll < 0 || r->reserve < 0 ||
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

void flt_rings_kill(struct flt_rings *r, const char *why)
{
	struct image *i;

	for (i = r->first; i; i = i->next)
		if (i->state == RUNNING)
			flt_image_kill(r, i, why);
}

void flt_rings_close(struct flt_rings *r)
{
	struct image *i;

	if (!r)
		return;
	for (i = r->first; i; i = i->next) {
		/* The server may be stopped or dead, so do not rely on it. */
		if (i->state == RUNNING)
			flt_image_send_kill(i);
		flt_image_hang_up(r, i);
	}
	sweep(r, false);
	if (r->listener >= 0)
		close(r->listener);
	if (r->epoll >= 0)
		close(r->epoll);
	if (r->reserve >= 0)
		close(r->reserve);
	free(r);
}

const char *flt_rings_name(const struct flt_rings *r)
{
	return r->address;
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
		n += i->state <= OVER;
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
