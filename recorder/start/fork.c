// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fork.c - a forked child goes on under the limit, with a server of its own.
 *
 * Before: the map lock is taken and the shadow is frozen - pages come back by copy,
 * and what comes in stays; what was resident may still be evicted, for the child has
 * that in its own region or finds it in our shadow as it was. The kernel hands the parent's server a descriptor
 * for the child's memory; until the child is on its own the parent's server
 * answers the child's faults from the frozen shadow. The child connects to
 * fltctl, which has the parent's server give that descriptor up to the child
 * and thaw; the child reads from its page tables what it owns and starts a
 * server. A child that cannot do this is filled up with all its pages by the
 * parent's server after some seconds and runs on, unlimited but correct.
 *
 * Our handlers are registered before any other (see mmap() in hook/mmap.c): the
 * last to run before fork, when the heap already holds its own locks, and the
 * first after it.
 */
#include "rec.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

static uint64_t signals;	/* of the forking thread; the map lock guards it */
static bool armed;

static void touch_stack(void)
{
	volatile char room[16384];

	for (size_t i = 0; i < sizeof room; i += 1024)
		room[i] = 0;
}

static void prepare(void)
{
	uint32_t tid = rec_tid();
	uint64_t old;

	if (!rec.ready)
		return;
	old = sys_block_signals();
	rec_lock_take(&rec.map, tid);
	signals = old;
	armed = true;
	rec_lock_take(&rec.pager, tid);
	rec_evict_room(64);
	rec.frozen = true;
	rec.forking = tid;
	rec.fork_seq++;
	rec_lock_drop(&rec.pager);
	rec_server_kick();
}

static void parent(void)
{
	uint64_t old;

	if (!armed)
		return;
	armed = false;
	/* answered in turn: now the server knows of the child, or there is none */
	*(volatile char *)rec.barrier;
	sys3(SYS_madvise, rec.barrier, REC_PAGE, MADV_DONTNEED);
	rec_lock_take(&rec.pager, rec_tid());
	rec.forking = 0;
	rec_lock_drop(&rec.pager);
	old = signals;
	rec_lock_drop(&rec.map);
	sys_restore_signals(old);
}

static void child(void)
{
	int parent_pid = rec.pid, fd, ret;

	if (!armed)
		return;
	armed = false;
	touch_stack();
	rec.ready = 0;
	rec.pid = (int)sys0(SYS_getpid);
	rec.pager.word = rec.map.word = rec.unwind.word = 0;
	rec.frozen = false;
	rec.forking = 0;
	rec.fresh = 0;
	/* these are the parent's memory, not ours */
	sys1(SYS_close, rec.uffd);
	sys1(SYS_close, rec.memfd_self);
	rec.uffd = rec.memfd_self = -1;
	sys2(SYS_munmap, rec.ring,
	     FLT_RING_DATA + (size_t)rec.ring->slot_count * FLT_RING_SLOT);
	rec_thread_reset();
	rec.watched = 0;
	rec.link_free = 0;
	rec_sample_reset();	/* what was skipped is its parent's to say */
	fd = rec_control_connect();
	if (fd >= 0) {
		ret = rec_setup(fd, parent_pid, rec.fork_seq);
		if (!ret) {
			rec_inline_setup(true);
			rec.ready = 1;
		} else if (rec.uffd >= 0) {
			rec_pager_eject(0, rec.npages);
		}
	}
	sys_restore_signals(signals);
	if (rec.ready)
		rec_thread_main();
}

void rec_fork_install(void)
{
	static uint32_t done;

	if (!__atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
		pthread_atfork(prepare, parent, child);
}
