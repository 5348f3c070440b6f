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
#include "image/image.h"
#include "region/freeze.h"
#include "region/region.h"
#include "service.h"
#include "thread/thread.h"

/* Twice the threads, because a signal can end a sleep whose message was read. */
#define PENDING (2 * REC_THREADS)
#define READ    16	/* messages per read() */

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

void rec_inbox_answer_child(uint32_t child)
{
	for (unsigned int i = 0; i < count; i++) {
		uintptr_t page = pending[i].msg.arg.pagefault.address & ~(FLT_PAGE - 1);

		/* A child that waits at the barrier is let go, not handed over. */
		if (pending[i].child == child && page != rec_freeze.barrier &&
		    pending[i].msg.event == UFFD_EVENT_PAGEFAULT)
			while (rec_fork_child_serve(child, page) == FAULT_RETRY)
				;
	}
}

void rec_inbox_answer(void)
{
	unsigned int to = 0, i;

	/* No message overtakes a fork, because the parent relies on that: see start/fork.c. */
	for (i = 0; i < count; i++) {
		if (rec_service_answer(&pending[i]) == FAULT_DONE)
			continue;
		pending[to++] = pending[i];
		if (pending[i].msg.event != UFFD_EVENT_PAGEFAULT) {
			i++;
			break;
		}
	}
	/* But the fork may wait for a lock whose owner sleeps in one of the later faults. */
	for (; i < count; i++)
		if (!rec_service_rescue(&pending[i]))
			pending[to++] = pending[i];
	count = to;
}

void rec_inbox_fetch(int uffd, uint32_t child)
{
	struct uffd_msg m[READ];
	uint64_t now;
	long got;

	while (count + READ <= PENDING) {
		got = sys3(SYS_read, uffd, m, sizeof(m));
		if (got < (long)sizeof(m[0]))
			return;
		now = sys_now();
		for (long i = 0; i < got / (long)sizeof(m[0]); i++)
			pending[count++] = (struct rec_message){ m[i], now, child };
		if (got < (long)sizeof(m))
			return;
	}
}
