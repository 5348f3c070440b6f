// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * child.c - forked children until they have a server of their own (see fork.c).
 */
#include "server.h"
#include "uffd.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>

void rec_child_reset(void)
{
	for (int i = 0; i < REC_CHILDREN; i++)
		rec.child[i].uffd = -1;
}

/* For a forked child not yet on its own, from our frozen shadow. */
enum rec_verdict rec_child_serve(int child, uintptr_t a)
{
	int fd = rec.child[child].uffd, ret;
	size_t page = (a - rec.lo) / REC_PAGE;

	if (fd < 0)
		return REC_DONE;
	if (a < rec.lo || a >= rec.hi)
		ret = uffd_zero(fd, a, REC_PAGE, 0);	/* the shadow itself */
	else if ((rec.page[page] & REC_STATE) == REC_SHADOW || rec.page[page] & REC_KEPT)
		ret = uffd_copy(fd, a, a + rec.distance, REC_PAGE, 0);
	else
		ret = uffd_zero(fd, a, REC_PAGE, 0);
	if (ret == -EAGAIN)
		return REC_LATER;
	if (ret == -EEXIST)
		uffd_wake(fd, a, REC_PAGE);
	return REC_DONE;
}

static void thaw(void)
{
	for (int i = 0; i < REC_CHILDREN; i++)
		if (rec.child[i].uffd >= 0)
			return;
	if (rec.forking || !rec.frozen)
		return;
	if (rec_inbox_holds_fork())
		return;
	/* copies that were kept for children are stale now */
	for (size_t i = 0; rec.fresh && i < rec.npages; i++) {
		if (!(rec.page[i] & REC_FRESH))
			continue;
		rec.fresh--;
		if (rec.page[i] & REC_KEPT)
			sys3(SYS_madvise, rec.lo + i * REC_PAGE + rec.distance, REC_PAGE,
			     MADV_DONTNEED);
		rec.page[i] &= (uint8_t)~(REC_FRESH | REC_KEPT);
	}
	rec.fresh = 0;
	rec.frozen = false;
	rec_evict_room(0);
	rec.thawed++;
	sys3(SYS_futex, &rec.thawed, FUTEX_WAKE_PRIVATE, 1 << 30);
}

void rec_child_end(int i, bool unlimited)
{
	if (unlimited) {
		rec_pager_release_child(rec.child[i].uffd);
		rec.totals->forks_unlimited++;
	} else {
		rec.totals->forks++;
	}
	sys1(SYS_close, rec.child[i].uffd);
	rec.child[i].uffd = -1;
	rec_inbox_forget_child(i);
}

/*
 * A forked child's descriptor has arrived. The shadow holds still from here
 * until it has gone to the child's own server; fork() has seen to that before
 * forking, a raw clone has not, so that child is filled up and let go.
 */
void rec_child_new(int uffd)
{
	for (int i = 0; i < REC_CHILDREN; i++) {
		if (rec.child[i].uffd >= 0)
			continue;
		rec.child[i] = (struct rec_child){
			.uffd = uffd, .seq = rec.fork_seq, .since = sys_now(),
			.expected = rec.frozen,
		};
		if (!rec.child[i].expected)
			rec_child_end(i, true);
		return;
	}
	rec_pager_release_child(uffd);
	rec.totals->forks_unlimited++;
	sys1(SYS_close, uffd);
}

/* Does the process behind uffd still have its memory? */
static bool child_alive(int uffd)
{
	/* a page at the far end of the shadow, which nothing uses */
	return uffd_zero(uffd, rec.hi + rec.distance - REC_PAGE, REC_PAGE, 0) != -ESRCH;
}

void rec_child_look(void)
{
	uint64_t now = sys_now();

	for (int i = 0; i < REC_CHILDREN; i++) {
		if (rec.child[i].uffd < 0)
			continue;
		if (!child_alive(rec.child[i].uffd))
			rec_child_end(i, false);
		else if (now - rec.child[i].since > 3000000000ULL)
			rec_child_end(i, true);
	}
	thaw();
}

void rec_child_release_all(void)
{
	for (int i = 0; i < REC_CHILDREN; i++)
		if (rec.child[i].uffd >= 0)
			rec_pager_release_child(rec.child[i].uffd);
}
