// SPDX-License-Identifier: LGPL-2.1-or-later
/* worker.c - threads that read messages of the userfaultfd and serve faults. */
#include "worker.h"

#include "core/sys.h"
#include "core/uffd.h"
#include "history.h"
#include "loader.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct fault {
	uint64_t time;
	size_t page;
	bool write;
	struct fltuffd_record record;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Add the latency to the statistics. Bucket i counts 2^i to 2^(i+1) - 1 ns. */
static void count_latency(struct fltuffd_stats *s, uint64_t ns)
{
	unsigned int bucket = ns ? 63u - (unsigned int)__builtin_clzll(ns) : 0;

	s->latency[bucket < FLTUFFD_BUCKETS ? bucket : FLTUFFD_BUCKETS - 1]++;
	s->latency_ns += ns;
}

static void serve_absent(struct fltuffd *p, struct fault *f, char *buffer)
{
	uint32_t next[256];
	uint64_t took;
	size_t n;

	p->stats.faults++;
	p->stats.writes += f->write;
	fltuffd_load_run(p, f->page, p->config.prefetch, f->write, true, buffer);
	took = now() - f->time;
	count_latency(&p->stats, took);
	f->record.latency = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took;
	fltuffd_note(p, &f->record);
	n = fltuffd_next(p, f->page, next, sizeof(next) / sizeof(next[0]));
	for (size_t i = 0; i < n; i++)
		if (flt_region_state(&p->region, next[i]) == PAGE_ABSENT)
			fltuffd_load_run(p, next[i], 0, false, false, buffer);
}

/* Make a clean page writable for its first store. It may have been evicted meanwhile. */
static void serve_store(struct fltuffd *p, size_t page)
{
	uintptr_t a = flt_region_address(&p->region, page);

	if (flt_region_state(&p->region, page) == PAGE_CLEAN)
		flt_region_set(&p->region, page, PAGE_DIRTY);
	if (flt_region_state(&p->region, page) == PAGE_DIRTY)
		uffd_protect(p->region.uffd, a, FLT_PAGE, 0);
	else
		uffd_wake(p->region.uffd, a, FLT_PAGE);
}

static bool is_missing(const struct fltuffd *p, size_t page)
{
	unsigned char in_core = 0;

	return !mincore((void *)flt_region_address(&p->region, page), FLT_PAGE, &in_core) &&
	       !(in_core & 1);
}

static void serve_missing(struct fltuffd *p, struct fault *f, char *buffer)
{
	uintptr_t a = flt_region_address(&p->region, f->page);

	switch (flt_region_state(&p->region, f->page)) {
	case PAGE_LOADING:	/* the thread that loads the page also wakes this waiter */
		break;
	case PAGE_CLEAN:
	case PAGE_DIRTY:
		if (!is_missing(p, f->page)) {	/* another thread filled it */
			uffd_wake(p->region.uffd, a, FLT_PAGE);
			break;
		}
		/* The program dropped the page. It gets the backing's last content. */
		p->region.resident--;
		flt_region_set(&p->region, f->page, PAGE_ABSENT);
		serve_absent(p, f, buffer);
		break;
	case PAGE_BROKEN:
		fltuffd_break_page(p, f->page, p->error);
		fltuffd_report(p, f->page, p->error);
		break;
	case PAGE_ABSENT:
		serve_absent(p, f, buffer);
		break;
	}
}

static void serve(struct fltuffd *p, const struct uffd_msg *m, uint64_t time, char *buffer)
{
	uint64_t offset = m->arg.pagefault.address - p->region.base;
	struct fault f = {
		.time = time, .page = offset / FLT_PAGE,
		.write = m->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WRITE,
	};

	f.record = (struct fltuffd_record){ .time = time, .offset = offset, .write = f.write,
					    .tid = m->arg.pagefault.feat.ptid };
	if (f.page >= p->region.count)
		return;
	pthread_mutex_lock(&p->lock);
	if (m->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP)
		serve_store(p, f.page);
	else
		serve_missing(p, &f, buffer);
	pthread_mutex_unlock(&p->lock);
}

void *fltuffd_worker(void *pager)
{
	struct fltuffd *p = pager;
	struct pollfd fd[2] = { { .fd = p->region.uffd, .events = POLLIN },
				{ .fd = p->stop, .events = POLLIN } };
	char *buffer = mmap(NULL, FLTUFFD_BUFFER_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffd_msg m;
	sigset_t all;

	/* The program's signal handlers may touch the region. They must not run here. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (buffer == MAP_FAILED)
		return NULL;	/* out of memory while the pager is opened */
	while (!(fd[1].revents & POLLIN)) {
		if (poll(fd, 2, -1) < 0)
			continue;
		/* One message at a time. The other threads serve the rest. */
		if (fd[0].revents & POLLIN && read(p->region.uffd, &m, sizeof(m)) == sizeof(m) &&
		    m.event == UFFD_EVENT_PAGEFAULT)
			serve(p, &m, now(), buffer);
	}
	munmap(buffer, FLTUFFD_BUFFER_BYTES);
	return NULL;
}
