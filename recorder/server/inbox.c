// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inbox.c - the queue of messages.
 *
 * The server never waits for the pager lock, because the owner may sleep in a fault that only
 * the server can resolve: see rec_service_rescue(). A message that cannot be answered now
 * keeps its place in the queue.
 */
#include "inbox.h"

#include "fork_child.h"
#include "image/clock.h"
#include "image/image.h"
#include "pager/errand.h"
#include "region/freeze.h"
#include "region/region.h"
#include "service.h"
#include "thread/thread.h"

/* Twice the threads, because a signal can end a sleep whose message was read. */
#define PENDING (2 * REC_THREADS)
#define READ    16	/* messages per read() */
#define ATTEMPTS 64	/* to fill a page before the child is handed over */

static struct rec_message pending[PENDING];
static unsigned int count;

void rec_inbox_reset(void)
{
	count = 0;
}

unsigned int rec_inbox_count(void)
{
	return count;
}

bool rec_inbox_has_fork(void)
{
	for (unsigned int i = 0; i < count; i++)
		if (pending[i].msg.event == UFFD_EVENT_FORK)
			return true;
	return false;
}

/*
 * Fill a page of a child. The kernel refuses while the child changes its address space, and after
 * its fork until somebody reads the message. Then let the thread raise its fault again: the child's
 * next server gets both messages.
 */
static void answer_or_wake(uint32_t child, uintptr_t page)
{
	for (int i = 0; i < ATTEMPTS; i++)
		if (rec_fork_child_serve(child, page) != FAULT_RETRY)
			return;
	uffd_wake(rec_fork_child_uffd(child), page, FLT_PAGE);
}

void rec_inbox_answer_child(uint32_t child)
{
	for (unsigned int i = 0; i < count; i++) {
		uintptr_t page = pending[i].msg.arg.pagefault.address & ~(FLT_PAGE - 1);

		/* A child that waits at the barrier is let go, not handed over. */
		if (pending[i].child == child && page != rec_freeze.barrier &&
		    pending[i].msg.event == UFFD_EVENT_PAGEFAULT)
			answer_or_wake(child, page);
	}
}

/* Answer all forks. Pager lock held. */
static void add_forks(void)
{
	unsigned int to = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (pending[i].msg.event == UFFD_EVENT_FORK)
			rec_fork_child_add((int)pending[i].msg.arg.fork.ufd);
		else
			pending[to++] = pending[i];
	}
	count = to;
}

/*
 * Answer forks before the faults that read() returned ahead of them. The kernel has copied the
 * memory already, so a page that comes in now is missing in the child, and is not in the shadow any
 * more. Return false if the forks have to wait.
 */
static bool answer_forks(void)
{
	if (!rec_inbox_has_fork())
		return true;
	if (!rec_lock_try_briefly(&rec_pager_lock, (uint32_t)rec_image.server_pid))
		return false;
	add_forks();
	rec_lock_release(&rec_pager_lock);
	return true;
}

void rec_inbox_answer(void)
{
	const bool fork_pending = !answer_forks();
	bool wait = fork_pending;
	unsigned int to = 0;

	/* No message overtakes a fork, because the parent relies on that: see start/fork.c. */
	for (unsigned int i = 0; i < count; i++) {
		/* But the fork may wait for a lock whose owner sleeps in a fault. */
		if (wait ? rec_service_rescue(&pending[i], fork_pending) :
			   rec_service_answer(&pending[i]) == FAULT_DONE)
			continue;
		wait |= pending[i].msg.event != UFFD_EVENT_PAGEFAULT;
		pending[to++] = pending[i];
	}
	count = to;
}

/* Read up to `most` messages into the queue. Return their number. */
static unsigned int fetch(int uffd, uint32_t child, unsigned int most)
{
	struct uffd_msg m[READ];
	long got = sys3(SYS_read, uffd, m, (long)(most * sizeof(m[0])));
	uint64_t now = rec_now();
	unsigned int n = got < 0 ? 0 : (unsigned int)((size_t)got / sizeof(m[0]));

	for (unsigned int i = 0; i < n; i++)
		pending[count++] = (struct rec_message){ m[i], now, child };
	return n;
}

static void fetch_all(int uffd, uint32_t child)
{
	while (count + READ <= PENDING && fetch(uffd, child, READ) == READ)
		;
}

static bool has_fault_of(uint32_t tid)
{
	for (unsigned int i = 0; i < count; i++)
		if (pending[i].child == REC_IMAGE &&
		    pending[i].msg.event == UFFD_EVENT_PAGEFAULT &&
		    pending[i].msg.arg.pagefault.feat.ptid == tid)
			return true;
	return false;
}

/*
 * Read the fault in which the owner of the pager lock sleeps. The kernel returns faults before
 * forks, so no fork is read before this fault.
 */
static void fetch_fault_of_owner(void)
{
	uint32_t owner = rec_lock_owner(&rec_pager_lock);

	if (!owner || has_fault_of(owner) ||
	    (!rec_errand_is_asked() && !rec_service_owner_faults(owner)))
		return;
	while (!has_fault_of(owner) && count < PENDING)
		if (!fetch(rec_region.uffd, REC_IMAGE, 1))
			return;
}

/*
 * From the moment a fork is read, threads can fill pages again. Such a page is missing in the
 * child, and has left the shadow. So read and answer a fork under the lock, without which no thread
 * fills a page.
 */
static bool fetch_of_image(void)
{
	if (!rec_lock_try_briefly(&rec_pager_lock, (uint32_t)rec_image.server_pid)) {
		fetch_fault_of_owner();
		/* The kernel fills no page until the event is read that changes the memory. */
		if (rec_service_take_refused())
			fetch_all(rec_region.uffd, REC_IMAGE);
		return false;
	}
	fetch_all(rec_region.uffd, REC_IMAGE);
	add_forks();
	rec_lock_release(&rec_pager_lock);
	return true;
}

bool rec_inbox_fetch(int uffd, uint32_t child)
{
	if (child == REC_IMAGE)
		return fetch_of_image();
	fetch_all(uffd, child);
	return true;
}
