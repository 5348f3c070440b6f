// SPDX-License-Identifier: GPL-2.0-or-later
/* fork_child.c - serve a forked child, hand it over, or give it all its pages. */
#include "fork_child.h"

#include "image/clock.h"
#include "image/image.h"
#include "lib/core/uffd.h"
#include "pager/evict.h"
#include "region/extent.h"
#include "region/freeze.h"
#include "region/region.h"
#include "region/shadow.h"

#include <errno.h>
#include <time.h>

/* For children that do not connect, such as one that is stopped by a debugger. */
#define GIVE_UP_NS 10000000000ULL
/*
 * Most that one check adds to the time that a child takes. A check is late if the server is stopped
 * or gets no CPU, and then the child is late as well.
 */
#define CHECK_NS   100000000ULL
#define RUN        64	/* most pages of one copy */

static struct fork_child {
	uint32_t id;		/* 0 = free slot */
	int uffd;
	uint64_t seq;
	uint64_t waited;	/* ns, see CHECK_NS */
	bool connected;		/* to fltctl, which will hand it over */
	bool refused;		/* will not connect */
	size_t given;		/* has all pages below this one; there was no memory for it */
} child[REC_FORK_CHILDREN];
static uint32_t last_id;
static uint64_t checked;	/* rec_now() of the last check */

static struct fork_child *find(uint32_t id)
{
	for (int i = 0; i < REC_FORK_CHILDREN; i++)
		if (id && child[i].id == id)
			return &child[i];
	return NULL;
}

void rec_fork_child_reset(void)
{
	for (int i = 0; i < REC_FORK_CHILDREN; i++)
		child[i].id = 0;
}

int rec_fork_child_uffd(uint32_t id)
{
	const struct fork_child *c = find(id);

	return c ? c->uffd : -1;
}

/*
 * Return true if this is the child of fork(), which connects. While that fork freezes the shadow, a
 * thread may fork by a system call of its own, and the kernel does not tell which process a
 * userfaultfd belongs to. Only the child of fork() has touched the mark. After mlockall() no page
 * is registered any more, and none is missing.
 */
static bool is_expected(const struct fork_child *c)
{
	int ret = uffd_zero(c->uffd, rec_freeze.mark, FLT_PAGE, 0);

	return ret == -EEXIST || ret == -ENOENT;
}

uint32_t rec_fork_child_of(uint64_t seq)
{
	for (int i = 0; i < REC_FORK_CHILDREN; i++)
		if (child[i].id && child[i].seq == seq && is_expected(&child[i]))
			return child[i].id;
	return 0;
}

unsigned int rec_fork_child_list(uint32_t id[REC_FORK_CHILDREN])
{
	unsigned int n = 0;

	for (int i = 0; i < REC_FORK_CHILDREN; i++)
		if (child[i].id)
			id[n++] = child[i].id;
	return n;
}

/* Return true if the child finds the content of a page in the shadow only. */
static bool is_in_shadow(size_t page)
{
	return rec_page_state(page) == PAGE_EVICTED || rec_region.state[page] & PAGE_SHADOWED;
}

enum rec_outcome rec_fork_child_serve(uint32_t id, uintptr_t a)
{
	int fd = rec_fork_child_uffd(id), ret;

	if (fd < 0)
		return FAULT_DONE;
	/* The child waits until it is let go: see connect_child() in start/fork.c. */
	if (a == rec_freeze.barrier)
		return FAULT_RETRY;
	/* Outside the region is the shadow itself, which the child has as zeros. */
	if (rec_region_contains(a) && is_in_shadow(rec_page_at(a)))
		ret = uffd_copy(fd, a, a + rec_shadow.distance, FLT_PAGE, 0);
	else
		ret = uffd_zero(fd, a, FLT_PAGE, 0);
	/* Without memory the child waits, as it would in the kernel. */
	if (ret == -EAGAIN || ret == -ENOMEM)
		return FAULT_RETRY;
	/* The page is there, or the child has unmapped it. */
	if (ret)
		uffd_wake(fd, a, FLT_PAGE);
	return FAULT_DONE;
}

static bool release(int uffd, size_t *given);

/*
 * Release the children that a child without a server forks meanwhile. They are not counted
 * here, because they report themselves: see report_stranger() in start/fork.c.
 */
static void release_grandchildren(int uffd)
{
	struct uffd_msg m;

	while (sys3(SYS_read, uffd, &m, sizeof(m)) == sizeof(m)) {
		if (m.event != UFFD_EVENT_FORK)
			continue;
		release((int)m.arg.fork.ufd, NULL);
		sys1(SYS_close, m.arg.fork.ufd);
	}
}

/* Copy pages into a child. wait: until the kernel has memory. Return 0 or -errno. */
static int give(int uffd, size_t first, size_t pages, bool wait)
{
	struct timespec nap = { .tv_nsec = 50000 };
	uintptr_t a = rec_page_address(first);
	int ret;

	for (;;) {
		ret = uffd_copy(uffd, a, a + rec_shadow.distance, pages * FLT_PAGE, 0);
		if (ret != -EAGAIN && (ret != -ENOMEM || !wait))
			return ret;
		/* The child changes its address space, or waits until its fork is read. */
		release_grandchildren(uffd);
		sys2(SYS_nanosleep, &nap, 0);
	}
}

/* Give a child pages [first, end) one by one, because it has some of them. Return 0 or -errno. */
static int give_each(int uffd, size_t first, size_t end, bool wait)
{
	int ret;

	for (; first < end; first++) {
		ret = give(uffd, first, 1, wait);
		if (ret == -ESRCH || ret == -ENOMEM)
			return ret;
	}
	return 0;
}

/*
 * Give a process without a server all pages that it may miss. Then end its registration,
 * which also wakes its threads. The pager lock keeps the shadow as it is meanwhile. Return false
 * if the kernel has no memory for a page, which would read as zeros. *given: where to begin, and
 * where to go on then. NULL: wait for memory.
 */
static bool release(int uffd, size_t *given)
{
	size_t i = given ? *given : 0, end, all = rec_extent_end();
	const size_t bytes = rec_region.count * FLT_PAGE;
	int ret;

	for (; i < all; i = end) {
		end = i + 1;
		if (!is_in_shadow(i))
			continue;
		for (; end < all && end - i < RUN; end++)
			if (rec_page_state(end) != PAGE_EVICTED)
				break;
		ret = give(uffd, i, end - i, !given);
		if (ret)
			ret = give_each(uffd, i, end, !given);
		if (ret == -ESRCH)
			return true;
		if (ret) {
			*given = i;
			return false;
		}
	}
	release_grandchildren(uffd);
	uffd_unregister(uffd, rec_region.base, bytes);
	uffd_unregister(uffd, rec_region.base + rec_shadow.distance, bytes);
	return true;
}

/* Let a child run on, unlimited. Return as release() does. */
static bool let_go(int uffd, size_t *given)
{
	if (!release(uffd, given))
		return false;
	rec_image.totals->forks_unlimited++;
	sys1(SYS_close, uffd);
	return true;
}

void rec_fork_child_end(uint32_t id)
{
	struct fork_child *c = find(id);

	if (!c)
		return;
	rec_image.totals->forks++;
	sys1(SYS_close, c->uffd);
	c->id = 0;
}

static struct fork_child *find_free(void)
{
	for (int i = 0; i < REC_FORK_CHILDREN; i++)
		if (!child[i].id)
			return &child[i];
	return NULL;
}

bool rec_fork_child_has_room(void)
{
	return find_free();
}

void rec_fork_child_add(int uffd)
{
	/* Under a seccomp filter a fork does not freeze: another fork may have, just before. */
	bool connects = rec_shadow.frozen && !rec_freeze.raw && !rec_image.filtered;
	struct fork_child *c = find_free();
	size_t given = 0;

	/* Nobody hands this child over. It gets its pages now, or as soon as there is memory. */
	if ((!connects || !c) && let_go(uffd, c ? &given : NULL))
		return;
	if (!rec_shadow.frozen)
		rec_shadow.frozen = rec_freeze.raw = true;
	*c = (struct fork_child){ .id = ++last_id, .uffd = uffd, .refused = !connects,
				  .given = given, .seq = connects ? rec_freeze.fork_seq : 0 };
}

/* Read what the child has written. A later fork may use the place, so remember what was seen. */
static void read_mark(struct fork_child *c)
{
	uint64_t *at = &rec_image.connected[c->seq % FLT_RING_FORKS];
	uint64_t mark = __atomic_load_n(at, __ATOMIC_ACQUIRE);

	if (mark == c->seq && !c->connected && !c->refused) {
		c->connected = is_expected(c);
		c->refused = !c->connected;
	}
	c->refused |= mark == (c->seq | FLT_RING_FORK_REFUSED);
}

/* Return true if the process behind a userfaultfd still has its memory. */
static bool is_alive(int uffd)
{
	/* The last page of the shadow is never used. */
	return uffd_zero(uffd, rec_region_end() + rec_shadow.distance - FLT_PAGE, FLT_PAGE, 0) !=
	       -ESRCH;
}

void rec_fork_child_check(bool fork_pending)
{
	uint32_t id[REC_FORK_CHILDREN];
	uint64_t now = rec_now(), step = now - checked;

	if (step > CHECK_NS)
		step = CHECK_NS;
	checked = now;
	for (int i = 0; i < REC_FORK_CHILDREN; i++) {
		if (!child[i].id)
			continue;
		child[i].waited += step;
		read_mark(&child[i]);
		if (!is_alive(child[i].uffd)) {
			rec_fork_child_end(child[i].id);
		} else if (child[i].refused ||
			   (!child[i].connected && child[i].waited > GIVE_UP_NS)) {
			child[i].refused = true;
			if (let_go(child[i].uffd, &child[i].given))
				child[i].id = 0;
		}
	}
	if (rec_fork_child_list(id) || rec_freeze.forking || !rec_shadow.frozen || fork_pending)
		return;
	rec_freeze_end();
	rec_evict_make_room(0);
}

void rec_fork_child_release_all(void)
{
	for (int i = 0; i < REC_FORK_CHILDREN; i++)
		if (child[i].id)
			release(child[i].uffd, NULL);
}
