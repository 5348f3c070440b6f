// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * start.c - from an ordinary process to a recorded one.
 *
 * Runs at the first mmap after libc knows its environment - the heap's very
 * first one - so that the whole heap comes under the limit; at the latest as a
 * constructor. Whatever fails here leaves the process as it was, unlimited, and
 * tells fltctl why: a program is never refused or aborted for our sake.
 */
#include "rec.h"
#include "uffd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* One of each to a process: a preloaded library has no caller to keep its state. */
struct rec rec;

static int anon(void **out, size_t bytes)
{
	void *m = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed((long)m))
		return (int)(long)m;
	/* tables are touched in places: a huge page each would be a waste */
	sys3(SYS_madvise, m, bytes, MADV_NOHUGEPAGE);
	*out = m;
	return 0;
}

/* Out of the way of programs that count on the lowest free descriptor. */
static int raise_fd(int fd)
{
	struct rlimit l = { 0 };
	long high;

	sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &l);
	high = l.rlim_cur < 16 ? 3 : (l.rlim_cur > 65536 ? 65536 : (long)l.rlim_cur) - 8;
	high = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, high);
	if (high < 0)
		return fd;
	sys1(SYS_close, fd);
	return (int)high;
}

static int open_uffd(void)
{
	uint64_t want = UFFD_FEATURE_EVENT_FORK | UFFD_FEATURE_EVENT_REMAP |
			UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_EXACT_ADDRESS;
	struct uffdio_api api;
	long fd, ret;

	for (int i = 0; i < 3; i++) {
		fd = sys1(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return (int)fd;
		rec.can_move = i == 0 && !(rec.cfg.flags & FLT_REC_NO_MOVE);
		api = (struct uffdio_api){
			.api = UFFD_API,
			.features = want | (rec.can_move ? UFFD_FEATURE_MOVE : 0),
		};
		/* 5.18 brought exact addresses, 6.8 MOVE */
		if (i == 2)
			api.features &= ~(uint64_t)UFFD_FEATURE_EXACT_ADDRESS;
		ret = sys3(SYS_ioctl, fd, UFFDIO_API, &api);
		if (!ret)
			return raise_fd((int)fd);
		sys1(SYS_close, fd);
	}
	return (int)ret;
}

static int map_region(void)
{
	size_t pages = rec.cfg.max_pages * 2 + (1UL << 18), bytes;
	void *m;
	int ret;

	/* addresses cost nothing; more of them than M spare the allocator's detours */
	if (pages < 1UL << 20)
		pages = 1UL << 20;
	bytes = pages * REC_PAGE;
	m = sys_mmap(NULL, 2 * bytes + (2UL << 20), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed((long)m))
		return (int)(long)m;
	rec.lo = ((uintptr_t)m + (2UL << 20) - 1) & ~((2UL << 20) - 1);
	rec.hi = rec.lo + bytes;
	rec.distance = bytes;
	rec.npages = pages;
	sys3(SYS_madvise, rec.lo, 2 * bytes, MADV_NOHUGEPAGE);
	ret = anon((void **)&rec.page, pages);
	if (ret)
		return ret;
	for (rec.queue_mask = 1; rec.queue_mask < pages; rec.queue_mask <<= 1)
		;
	ret = anon((void **)&rec.queue, rec.queue_mask-- * sizeof *rec.queue);
	if (ret)
		return ret;
	rec.barrier = rec.hi - REC_PAGE;
	rec.page[pages - 1] = REC_EMPTY;
	return rec_region_init(pages - 1);
}

static int register_region(void)
{
	size_t bytes = rec.hi - rec.lo;
	int ret;

	if (!rec.can_move)
		return uffd_register(rec.uffd, rec.lo, bytes,
				     UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP);
	ret = uffd_register(rec.uffd, rec.lo, bytes, UFFDIO_REGISTER_MODE_MISSING);
	if (!ret)
		ret = uffd_register(rec.uffd, rec.lo + rec.distance, bytes,
				    UFFDIO_REGISTER_MODE_MISSING);
	return ret;
}

static int map_ring(int fd)
{
	struct flt_ring_head *r;
	void *m = sys_mmap(NULL, REC_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	size_t bytes;

	if (sys_failed((long)m))
		return (int)(long)m;
	r = m;
	if (r->magic != FLT_RING_MAGIC || r->version != FLT_RING_VERSION)
		return -EPROTO;
	bytes = FLT_RING_DATA + (size_t)r->slot_count * FLT_RING_SLOT;
	sys2(SYS_munmap, m, REC_PAGE);
	m = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (sys_failed((long)m))
		return (int)(long)m;
	rec.ring = m;
	rec.totals = &rec.ring->totals;
	return 0;
}

/*
 * With a connected socket: say who we are, take configuration and ring, build
 * or (a forked child) take over the region, start the server. The socket is
 * closed here in any case; the server keeps its own.
 */
int rec_setup(int socket, int child_of, uint64_t seq)
{
	struct flt_rec_message m = { .type = FLT_REC_HELLO, .pid = rec.pid,
				     .fork_parent = child_of, .fork_seq = seq };
	const char *step = "talk to fltctl";
	int pass[2], ret;

	ret = rec_control_send(socket, &m, -1);
	if (!ret)
		ret = rec_control_receive(socket, &m, pass, true);
	if (ret == 1)
		ret = m.type == FLT_REC_CONFIG && pass[0] >= 0 ? 0 : -EPROTO;
	if (ret)
		goto out;
	rec.cfg = m.config;
	step = "map the ring";
	ret = map_ring(pass[0]);
	sys1(SYS_close, pass[0]);
	if (ret)
		goto out;
	if (child_of) {
		step = "take over from the parent";
		ret = -ENODATA;
		if (pass[1] < 0)
			goto out;
		rec.uffd = raise_fd(pass[1]);
		ret = rec_pager_rebuild();
	} else {
		step = "open a userfaultfd";
		rec.uffd = ret = open_uffd();
		if (ret < 0)
			goto out;
		step = "map and register the region";
		ret = map_region();
		if (!ret)
			ret = register_region();
	}
	if (ret)
		goto out;
	step = "set up tables";
	rec.memfd_self = (int)sys4(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
	if (rec.memfd_self >= 0)
		rec.memfd_self = raise_fd(rec.memfd_self);
	ret = rec_stack_init();
	if (!ret) {
		step = "start the fault server";
		ret = rec_server_start(socket);
	}
out:
	if (ret) {
		m.text[0] = 0;
		rec_control_refuse(socket, rec.pid, step);
	}
	sys1(SYS_close, socket);
	return ret;
}

void rec_start(void)
{
	static uint32_t begun;
	uint64_t signals;
	int fd;

	if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL))
		return;
	fd = rec_control_connect();
	if (fd < 0)
		return;
	rec_fork_install();
	signals = sys_block_signals();
	rec.pid = (int)sys0(SYS_getpid);
	if (!rec_setup(fd, 0, 0)) {
		rec_inline_setup(false);
		if (rec.inlined)
			rec.filter = raise_fd(rec.filter);
		__atomic_store_n(&rec.ready, 1, __ATOMIC_RELEASE);
	}
	sys_restore_signals(signals);
	if (rec.ready)
		rec_thread_main();
}

/* Libraries may have taken memory before; from here on nothing escapes. */
__attribute__((constructor(101))) static void construct(void)
{
	rec_start();
}
