// SPDX-License-Identifier: LGPL-2.1-or-later
/* fill.c - missing pages: the threads that hear of them, and how they are filled. */
#include "pager.h"
#include "uffd_abi.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef UFFDIO_POISON
struct uffdio_poison {
	struct uffdio_range range;
	__u64 mode;
	__s64 updated;
};
#define UFFDIO_POISON _IOWR(UFFDIO, 0x08, struct uffdio_poison)
#endif

#define AGAIN 1000	/* tries while the kernel changes the address space */

static void set(struct fltuffd *p, size_t page, enum page_state s)
{
	p->state[page] = (uint8_t)((p->state[page] & ~PAGE_STATE) | s);
}

static uintptr_t at(const struct fltuffd *p, size_t page)
{
	return (uintptr_t)p->memory + page * FLTUFFD_PAGE;
}

static void wake(struct fltuffd *p, size_t page)
{
	struct uffdio_range r = { at(p, page), FLTUFFD_PAGE };

	ioctl(p->uffd, UFFDIO_WAKE, &r);
}

/* Touching this page is a signal from now on: never zeros, never a hang. */
static void break_page(struct fltuffd *p, size_t page, int err)
{
	struct uffdio_poison z = { .range = { at(p, page), FLTUFFD_PAGE } };

	set(p, page, PAGE_BROKEN);
	p->stats.errors++;
	if (!p->error)
		__atomic_store_n(&p->error, err, __ATOMIC_RELAXED);
	if (!p->has_poison || ioctl(p->uffd, UFFDIO_POISON, &z)) {
		mprotect((void *)at(p, page), FLTUFFD_PAGE, PROT_NONE);
		wake(p, page);
	}
}

/* The caller has the lock, and counts on nothing it read under it: whoever is told may ask us. */
static void tell(struct fltuffd *p, size_t page, int err)
{
	if (!p->config.on_error)
		return;
	pthread_mutex_unlock(&p->lock);
	p->config.on_error(p->config.error_context, (uint64_t)page * FLTUFFD_PAGE, err);
	pthread_mutex_lock(&p->lock);
}

static int copy_in(struct fltuffd *p, size_t page, const char *data, bool write)
{
	struct uffdio_copy c = { .dst = at(p, page), .src = (uintptr_t)data, .len = FLTUFFD_PAGE,
				 .mode = write ? 0 : UFFDIO_COPY_MODE_WP };

	for (int i = 0; i < AGAIN; i++) {
		if (!ioctl(p->uffd, UFFDIO_COPY, &c))
			return 0;
		if (errno != EAGAIN)
			return -errno;
		c.copy = 0;
	}
	return -EAGAIN;
}

static int read_run(struct fltuffd *p, size_t page, size_t n, bool stored, char *buffer)
{
	const struct fltuffd_backing *b = &p->config.backing;
	uint64_t offset = (uint64_t)page * FLTUFFD_PAGE;
	ssize_t got;

	if (!stored)
		return b->read(b->context, offset, buffer, n * FLTUFFD_PAGE);
	got = pread(p->store, buffer, n * FLTUFFD_PAGE, (off_t)offset);
	if (got < 0)
		return -errno;
	return (size_t)got == n * FLTUFFD_PAGE ? 0 : -EIO;
}

int fltuffd_fill(struct fltuffd *p, size_t page, unsigned int more, bool write, bool asked, char *buffer)
{
	bool stored = p->state[page] & PAGE_STORED;
	bool broken = false;
	size_t n = 1, good, i;
	int ret, err;

	if (more > FLTUFFD_RUN - 1)
		more = FLTUFFD_RUN - 1;
	if (p->limit && more > p->limit / 4)
		more = (unsigned int)(p->limit / 4);
	/* a run has one source */
	while (n <= more && page + n < p->pages &&
	       (p->state[page + n] & PAGE_STATE) == PAGE_ABSENT &&
	       !!(p->state[page + n] & PAGE_STORED) == stored)
		n++;
	for (i = 0; i < n; i++)
		set(p, page + i, PAGE_LOADING);
	pthread_mutex_unlock(&p->lock);
	err = read_run(p, page, n, stored, buffer);
	good = n;
	if (err) {
		/* one bad page must not take its neighbours along */
		if (n > 1)
			err = read_run(p, page, 1, stored, buffer);
		good = 1;
	}
	pthread_mutex_lock(&p->lock);
	/* the room is made here, when the content is at hand */
	fltuffd_evict(p, good, buffer + FLTUFFD_RUN * FLTUFFD_PAGE);
	for (i = 0; i < n; i++) {
		bool dirty = write && i == 0;

		if (i >= good) {
			set(p, page + i, PAGE_ABSENT);
			wake(p, page + i);
			continue;
		}
		if (err) {
			break_page(p, page, err);
			broken = true;
			continue;
		}
		ret = copy_in(p, page + i, buffer + i * FLTUFFD_PAGE, dirty || stored);
		if (ret == -EEXIST) {
			/* there, in memory or swap, and who knows since when: not to be dropped */
			wake(p, page + i);
			dirty = true;
		} else if (ret) {
			/* ENOENT and the like: no longer ours to fill */
			set(p, page + i, PAGE_ABSENT);
			wake(p, page + i);
			if (i == 0)
				err = ret;
			continue;
		}
		set(p, page + i, dirty || stored ? PAGE_DIRTY : PAGE_CLEAN);
		if (p->state[page + i] & PAGE_SEEN)
			p->state[page + i] |= PAGE_AGAIN;
		if (i == 0 && asked && p->state[page] & PAGE_SEEN)
			p->stats.refaults++;
		p->state[page + i] |= PAGE_SEEN;
		fltuffd_push(p, page + i);
		p->stats.resident++;
		p->stats.prefetched += !(i == 0 && asked);
	}
	if (p->stats.resident > p->stats.resident_peak)
		p->stats.resident_peak = p->stats.resident;
	pthread_cond_broadcast(&p->loaded);
	if (broken)
		tell(p, page, err);
	return err;
}

static void unprotect(struct fltuffd *p, size_t page)
{
	struct uffdio_writeprotect w = { .range = { at(p, page), FLTUFFD_PAGE } };

	ioctl(p->uffd, UFFDIO_WRITEPROTECT, &w);	/* wakes, too */
}

static void serve(struct fltuffd *p, const struct uffd_msg *m, uint64_t heard, char *buffer)
{
	uint64_t a = m->arg.pagefault.address - (uintptr_t)p->memory, took;
	bool write = m->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WRITE;
	struct fltuffd_record r = { .time = heard, .offset = a, .write = write,
				    .tid = m->arg.pagefault.feat.ptid };
	size_t page = a / FLTUFFD_PAGE, n;
	uint32_t next[256];
	unsigned int bucket;

	if (page >= p->pages)
		return;
	pthread_mutex_lock(&p->lock);
	if (m->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP) {
		/* the first store to a clean page; or it has been evicted since */
		if ((p->state[page] & PAGE_STATE) == PAGE_CLEAN)
			set(p, page, PAGE_DIRTY);
		if ((p->state[page] & PAGE_STATE) == PAGE_DIRTY)
			unprotect(p, page);
		else
			wake(p, page);
		pthread_mutex_unlock(&p->lock);
		return;
	}
	switch (p->state[page] & PAGE_STATE) {
	case PAGE_LOADING:	/* who loads it will wake this one, too */
		break;
	case PAGE_CLEAN:
	case PAGE_DIRTY:
		/*
		 * Filled since - then waking is enough - or dropped by the program, which
		 * gets it as it last was in the backing.
		 */
		{
			unsigned char there = 0;

			if (!mincore((void *)at(p, page), FLTUFFD_PAGE, &there) && !(there & 1)) {
				p->stats.resident--;
				set(p, page, PAGE_ABSENT);
				goto absent;
			}
		}
		wake(p, page);
		break;
	case PAGE_BROKEN:
		break_page(p, page, p->error);
		tell(p, page, p->error);
		break;
	case PAGE_ABSENT:
	absent:
		p->stats.faults++;
		p->stats.writes += write;
		fltuffd_fill(p, page, p->config.prefetch, write, true, buffer);
		took = fltuffd_now() - heard;
		bucket = took ? 63u - (unsigned int)__builtin_clzll(took) : 0;
		p->stats.latency[bucket < FLTUFFD_BUCKETS ? bucket : FLTUFFD_BUCKETS - 1]++;
		p->stats.latency_ns += took;
		r.latency = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took;
		fltuffd_note(p, &r);
		n = fltuffd_next(p, page, next, sizeof(next) / sizeof(next[0]));
		for (size_t i = 0; i < n; i++)
			if ((p->state[next[i]] & PAGE_STATE) == PAGE_ABSENT)
				fltuffd_fill(p, next[i], 0, false, false, buffer);
		break;
	}
	pthread_mutex_unlock(&p->lock);
}

void *fltuffd_thread(void *pager)
{
	struct fltuffd *p = pager;
	struct pollfd fd[2] = { { .fd = p->uffd, .events = POLLIN },
				{ .fd = p->stop, .events = POLLIN } };
	size_t bytes = (FLTUFFD_RUN + 1) * FLTUFFD_PAGE;
	char *buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffd_msg m;
	sigset_t all;

	/* the program's handlers may touch the region: not on this thread */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (buffer == MAP_FAILED)
		return NULL;	/* threads are made when the pager is opened: no memory at all */
	while (!(fd[1].revents & POLLIN)) {
		if (poll(fd, 2, -1) < 0)
			continue;
		/* one at a time: what is left is for the other threads */
		if (fd[0].revents & POLLIN && read(p->uffd, &m, sizeof(m)) == sizeof(m) &&
		    m.event == UFFD_EVENT_PAGEFAULT)
			serve(p, &m, fltuffd_now(), buffer);
	}
	munmap(buffer, bytes);
	return NULL;
}
