// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fork.c - keep a forked child under the limit and give it a server of its own.
 *
 * 1. Before the fork, prepare() takes the map lock, waits until the parent's server can take
 *    another child, and freezes the shadow: evicted pages come back by copy, and pages that come
 *    in stay. Pages that were resident may still be evicted, because the child has them in its own
 *    region, or finds them in the parent's shadow.
 * 2. The kernel gives the parent's server a userfaultfd for the child's memory. That server
 *    answers the child's faults from the frozen shadow.
 * 3. The child connects to fltctl, which makes the parent's server hand over that userfaultfd
 *    and end the freeze. The child reads its page states from its page tables and starts a
 *    server.
 * 4. If the child cannot do this, the parent's server gives it all its pages: at once if the child
 *    says so, else after some seconds. The child then runs on, unlimited but correct.
 *
 * A child of a raw fork (hook/clone.c) gets all its pages in step 2, because it may be a sandbox
 * that cannot connect to fltctl.
 *
 * The handlers are registered before those of all libraries, by mmap() in hook/mmap.c. So
 * prepare() is the last one to run before the fork, when the heap holds its own locks already,
 * and the other two are the first ones to run after it.
 */
#include "fork.h"

#include "image/image.h"
#include "image/socket.h"
#include "pager/evict.h"
#include "pager/grant.h"
#include "pager/pagemap.h"
#include "region/extent.h"
#include "region/freeze.h"
#include "region/region.h"
#include "region/shadow.h"
#include "server/fork_child.h"
#include "setup.h"
#include "signal/handler.h"
#include "signal/lifetime.h"
#include "thread/thread.h"
#include "trace/sampling.h"
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

static uint64_t signals;	/* mask of the forking thread; guarded by the map lock */
static bool prepared;

/*
 * Wait until the server can take another child, because a child that it cannot take would run
 * unlimited. The wait ends when fltctl takes a child over, or the server gives a child up. Caller
 * holds the map lock, so no other thread forks meanwhile.
 */
static void wait_for_room(uint32_t tid)
{
	struct timespec nap = { .tv_nsec = 1000000 };
	bool has_room;

	for (;;) {
		rec_lock_take(&rec_pager_lock, tid);
		has_room = rec_fork_child_has_room();
		rec_lock_release(&rec_pager_lock);
		if (has_room)
			return;
		sys2(SYS_nanosleep, &nap, 0);
	}
}

/* Freeze the shadow. Return false if nothing is recorded. */
static bool freeze(bool raw)
{
	uint32_t tid = rec_tid();
	uint64_t old;

	if (!rec_image_is_ready() || rec_image.filtered)
		return false;
	old = sys_block_signals();
	rec_lock_take(&rec_map_lock, tid);
	signals = old;
	prepared = true;
	if (!raw)
		wait_for_room(tid);
	rec_lock_take(&rec_pager_lock, tid);
	rec_grant_end();
	rec_evict_make_room(64);
	rec_shadow.frozen = true;
	rec_freeze.forking = tid;
	rec_freeze.raw = raw;
	rec_freeze.fork_seq++;
	rec_lock_release(&rec_pager_lock);
	rec_image_wake_server();
	return true;
}

static void prepare(void)
{
	freeze(false);
}

static void parent(void)
{
	uint64_t old;

	/* Another thread may have prepared a fork before this thread set a seccomp filter. */
	if (!prepared || rec_freeze.forking != rec_tid())
		return;
	prepared = false;
	/*
	 * The server answers this fault after the message of the fork. So after the access the
	 * server knows the child, or the fork failed.
	 */
	*(volatile char *)rec_freeze.barrier;
	sys3(SYS_madvise, rec_freeze.barrier, FLT_PAGE, MADV_DONTNEED);
	rec_lock_take(&rec_pager_lock, rec_tid());
	rec_freeze.forking = 0;
	rec_lock_release(&rec_pager_lock);
	old = signals;
	rec_lock_release(&rec_map_lock);
	sys_restore_signals(old);
}

#define STACK_USED (3 * FLT_PAGE)	/* by this file and what it calls */

/*
 * Fault the stack in, if it is in the region, while the parent's server still answers. Only read:
 * what is below a small stack belongs to others.
 */
static void touch_stack(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	for (uintptr_t a = here; a > here - STACK_USED; a -= FLT_PAGE)
		if (rec_region_contains(a))
			*(volatile char *)a;
}

/*
 * Wait until the parent's server has given this child all pages that it may miss. Until then the
 * child must drop no page: the server would bring the old content back. The page is missing here,
 * and the server answers only by the end of the registration.
 */
static void await_pages(void)
{
	/* 0: the start has failed, and nothing was ever limited. */
	if (rec_freeze.barrier)
		*(volatile char *)rec_freeze.barrier;
}

/* Return true if fltctl can pass two descriptors. Without room the kernel drops them unseen. */
static bool has_room_for_two(int fd)
{
	long first = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0), second = -1;

	if (first >= 0)
		second = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0);
	if (second >= 0)
		sys1(SYS_close, second);
	if (first >= 0)
		sys1(SYS_close, first);
	return second >= 0;
}

/* Tell the parent's server about this child, in memory that it shares with this process. */
static void tell_server(uint64_t mark)
{
	const uint64_t seq = rec_freeze.fork_seq;

	__atomic_store_n(&rec_image.connected[seq % FLT_RING_FORKS], seq | mark, __ATOMIC_RELEASE);
}

/* Get all pages from the parent's server, because fltctl will not hand this child over. */
static void stay_unlimited(void)
{
	tell_server(FLT_RING_FORK_REFUSED);
	await_pages();
}

/*
 * Connect to fltctl, and tell the parent's server whether that worked. If so, the server waits for
 * fltctl without a limit of time. If not, it gives this child its pages.
 */
static int connect_child(void)
{
	int fd = rec_socket_connect();

	if (fd >= 0 && !has_room_for_two(fd)) {
		sys1(SYS_close, fd);
		fd = -EMFILE;
	}
	if (fd < 0) {
		stay_unlimited();
		return fd;
	}
	/* Children of forks that the recorder did not see lack this page. */
	*(volatile char *)rec_freeze.mark;
	tell_server(0);
	return fd;
}

/* Forget everything that belongs to the parent. */
static void forget_parent(void)
{
	rec_image_set_ready(false);
	rec_image.pid = (int)sys0(SYS_getpid);
	rec_pager_lock.word = rec_map_lock.word = 0;
	rec_backtrace_reset();
	rec_shadow.frozen = false;
	rec_freeze.forking = 0;
	rec_freeze.held = 0;
	rec_grant_forget();
	rec_writer_leave();
	rec_sampling_reset();
}

/* Close the descriptors that refer to the parent's memory and threads. There may be few others. */
static void close_parents(void)
{
	rec_region_close();
	rec_thread_reset();
}

/*
 * Run on unlimited after all: take the evicted pages back, and close the userfaultfd, because a
 * fault or fork would wait for ever for somebody to read it. Without a userfaultfd fltctl has not
 * handed this child over, and the parent's server still serves it.
 */
static void abandon(void)
{
	size_t end = rec_extent_end();
	bool copied;

	if (rec_region.uffd < 0) {
		stay_unlimited();
		return;
	}
	rec_pagemap_rebuild();
	for (size_t i = 0; i < end; i++)
		if (rec_page_state(i) == PAGE_EVICTED)
			rec_shadow_fetch(i, true, &copied);
	rec_region_close();
}

/* The parent runs unrecorded already. Count this child as well. */
static void report_stranger(void)
{
	int fd = rec_socket_connect();

	if (fd < 0)
		return;
	rec_socket_refuse(fd, (int)sys0(SYS_getpid), "its parent is not recorded");
	sys1(SYS_close, fd);
}

static void child(void)
{
	uint64_t of = rec_image.id;
	int fd, ret;

	if (!prepared || rec_image.filtered) {
		if (rec_image.ready && rec_image.filtered)
			await_pages();
		else if (rec_image.ready)
			report_stranger();
		return;
	}
	prepared = false;
	touch_stack();
	close_parents();
	fd = connect_child();
	forget_parent();
	if (fd >= 0) {
		ret = rec_setup(fd, of, rec_freeze.fork_seq);
		if (!ret) {
			/* The child's own children must lack the page. */
			sys3(SYS_madvise, rec_freeze.mark, FLT_PAGE, MADV_DONTNEED);
			rec_handler_install(true);
			rec_image_set_ready(true);
		} else {
			abandon();
		}
	}
	if (!rec_image_is_ready())
		rec_writer_close();
	sys_restore_signals(signals);
	if (rec_image_is_ready())
		rec_lifetime_begin_main();
}

bool rec_fork_raw_begin(void)
{
	return freeze(true);
}

void rec_fork_raw_end(bool in_child)
{
	if (in_child) {
		await_pages();
		prepared = false;
		sys_restore_signals(signals);
	} else {
		parent();
	}
}

void rec_fork_install(void)
{
	static uint32_t done;

	if (!__atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
		pthread_atfork(prepare, parent, child);
}
