// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inbox.c - what userfaultfds have told the server, and how it is answered.
 *
 * Never waits for the pager lock: the lock's owner may be asleep in a fault that
 * only the server can resolve (rec_pager_rescue). What cannot be answered now keeps
 * its turn.
 */
#include "server.h"
#include "uffd.h"

#include <errno.h>
#include <string.h>

#define PENDING (2 * REC_THREADS)	/* a signal can end a sleep whose message was read */
#define YIELD_NS 15000000L	/* path A: time for a thread to do it itself */

struct pending {
	struct uffd_msg msg;
	uint64_t time;
	int child;		/* index in rec.child, or one of these */
};
#define IMAGE      REC_FROM_IMAGE
#define CHILD_GONE (-2)

/* One server to a memory; a forked child starts its own in its own copy. */
static struct pending pending[PENDING];
static unsigned int npending;
static int cpu_seen, cpu_set;
static bool stay_hot;		/* path A: go on watching the descriptor */
static struct rec_trace trace;

static uintptr_t page_of(const struct pending *p)
{
	return p->msg.arg.pagefault.address & ~(REC_PAGE - 1);
}

void rec_inbox_reset(void)
{
	npending = 0;
	cpu_seen = cpu_set = -1;
}

unsigned int rec_inbox_count(void)
{
	return npending;
}

bool rec_inbox_holds_fork(void)
{
	for (unsigned int k = 0; k < npending; k++)
		if (pending[k].msg.event == UFFD_EVENT_FORK)
			return true;
	return false;
}

bool rec_inbox_wants_more(void)
{
	bool more = stay_hot;

	stay_hot = false;
	return more;
}

void rec_inbox_answer_child(int child)
{
	for (unsigned int k = 0; k < npending; k++)
		if (pending[k].child == child && pending[k].msg.event == UFFD_EVENT_PAGEFAULT)
			while (rec_child_serve(child, page_of(&pending[k])) == REC_LATER)
				;
}

void rec_inbox_forget_child(int child)
{
	for (unsigned int k = 0; k < npending; k++)
		if (pending[k].child == child)
			pending[k].child = CHILD_GONE;
}

static void follow_cpu(uint16_t cpu)
{
	uint64_t mask[16] = { 0 };

	/* twice on the same CPU: threads that take turns must not drag us about */
	if (cpu == cpu_seen && cpu != cpu_set && cpu < 1024) {
		mask[cpu / 64] = 1ULL << cpu % 64;
		if (sys3(SYS_sched_setaffinity, 0, sizeof mask, mask) >= 0)
			cpu_set = cpu;
	}
	cpu_seen = cpu;
}

/* Registers and stack, before the lock is taken: the thread is asleep. */
static void describe(struct rec_fault *f, const struct uffd_msg *m)
{
	struct rec_thread *t = rec_thread_find(f->tid);
	struct rec_regs regs;
	uint64_t exact;

	/*
	 * Nothing tells us of the faults of a thread made by a raw clone but the descriptor;
	 * the child of a vfork is soon gone.
	 */
	if (rec.inlined && !t && !rec.watched) {
		if (rec_sleep_ours(f->tid))
			__atomic_fetch_add(&rec.watched, 1, __ATOMIC_RELAXED);
		else
			stay_hot = true;
	}

	f->cpu = 0xffff;
	if (rec_thread_regs(t, f->address & ~(REC_PAGE - 1), &regs, &exact, f)) {
		f->address = exact;
		follow_cpu(f->cpu);
		if (!(rec.cfg.flags & FLT_REC_NO_STACK)) {
			rec_unwind(&trace, f, &regs, t);
			f->trace = &trace;
		}
		return;
	}
	f->flags |= FLT_RING_F_NOREGS;
	if (!(m->arg.pagefault.address & (REC_PAGE - 1)))
		f->flags |= FLT_RING_F_PAGE;
}

/* The program moved part of the region elsewhere with a raw mremap(). */
static void let_go(const struct uffd_msg *m)
{
	uintptr_t from = m->arg.remap.from, to = m->arg.remap.to;
	size_t len = m->arg.remap.len;

	for (size_t off = 0; off < len; off += REC_PAGE) {
		size_t page = (from + off - rec.lo) / REC_PAGE;

		if (from + off < rec.lo || from + off >= rec.hi)
			continue;
		if ((rec.page[page] & REC_STATE) == REC_SHADOW) {
			uffd_copy(rec.uffd, to + off, from + off + rec.distance, REC_PAGE, 0);
			rec.shadow--;
		} else if ((rec.page[page] & REC_STATE) == REC_RESIDENT) {
			rec.resident--;
		}
		rec.page[page] = (uint8_t)((rec.page[page] & REC_QUEUED) | REC_PLAIN);
	}
	rec.totals->ejected += len / REC_PAGE;
	uffd_unregister(rec.uffd, to, len);
}

/*
 * A fault of a thread that resolves its own, and not one in the kernel: we met it
 * on its way. If its page is still missing a moment later, the thread cannot.
 */
static bool handled_there(const struct pending *p, struct rec_thread *t, uintptr_t page)
{
	struct rec_fault f = { .time = p->time };
	struct rec_regs regs;
	uint64_t exact;

	if (!rec_thread_regs(t, page, &regs, &exact, &f)) {
		/*
		 * No exception at all: the kernel looks the page up for direct I/O or the
		 * like, which no event tells. More of that will follow.
		 */
		stay_hot = true;
		return false;
	}
	return !(f.flags & FLT_RING_F_KERNEL);
}

/* When we first saw the pager lock held as it is. */
static uint64_t held_since(uint32_t tenure)
{
	static uint32_t seen;
	static uint64_t since;

	if (!since || tenure != seen) {
		seen = tenure;
		since = sys_now();
	}
	return since;
}

/*
 * The lock's owner, asleep in a fault that only we can resolve: needs no lock for that. It
 * must have held it all the while that we looked: one that has let go of it, and sleeps
 * a moment in another fault on its way to a handler, would be at work beside us.
 */
static bool rescue(const struct pending *p)
{
	const struct uffd_msg *m = &p->msg;
	uint32_t tid = m->arg.pagefault.feat.ptid;
	uint32_t tenure = rec_lock_tenure(&rec.pager);

	if (m->event != UFFD_EVENT_PAGEFAULT || p->child != IMAGE ||
	    rec_lock_owner(&rec.pager) != tid ||
	    __atomic_load_n(&rec.ring_full, __ATOMIC_ACQUIRE) ||
	    !rec_sleep_in(tid, "handle_userfault", held_since(tenure)) ||
	    rec_lock_tenure(&rec.pager) != tenure)
		return false;
	rec_pager_rescue(m->arg.pagefault.address);
	return true;
}

static enum rec_verdict process(struct pending *p)
{
	const struct uffd_msg *m = &p->msg;
	struct rec_fault f = { .time = p->time, .heard = p->time };
	uintptr_t a = page_of(p);
	enum rec_verdict v = REC_DONE;
	struct rec_thread *t;

	if (p->child == CHILD_GONE && m->event != UFFD_EVENT_FORK)
		return REC_DONE;
	if (m->event == UFFD_EVENT_PAGEFAULT && p->child == IMAGE && a == rec.barrier) {
		uffd_zero(rec.uffd, a, REC_PAGE, 0);
		return REC_DONE;
	}
	if (m->event == UFFD_EVENT_PAGEFAULT && p->child == IMAGE) {
		f.address = m->arg.pagefault.address;
		f.tid = m->arg.pagefault.feat.ptid;
		if (m->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WRITE)
			f.flags |= FLT_RING_F_WRITE;
		t = rec.inlined ? rec_thread_find(f.tid) : NULL;
		/*
		 * It was at work since: that sleep is over. What we resolved for it
		 * says nothing: its handler can be asleep in a fault of its own, on
		 * a stack that is limited, before it comes to the one it is for.
		 */
		if (t && t->user_event && __atomic_load_n(&t->awake, __ATOMIC_RELAXED) > p->time)
			return REC_DONE;
		if (rec_lock_owner(&rec.pager) == f.tid)
			return rescue(p) ? REC_DONE : REC_LATER;
		if (t && t->user_event && handled_there(p, t, a)) {
			if (sys_now() - p->time < YIELD_NS)
				return REC_LATER;
			f.late = true;
		}
		describe(&f, m);
	}
	if (!rec_server_try_pager())
		return REC_LATER;
	switch (m->event) {
	case UFFD_EVENT_PAGEFAULT:
		if (p->child >= 0) {
			v = rec_child_serve(p->child, a);
		} else if (m->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP) {
			if (a >= rec.lo && a < rec.hi &&
			    (rec.page[(a - rec.lo) / REC_PAGE] & REC_STATE) == REC_RESIDENT)
				uffd_protect(rec.uffd, a, REC_PAGE, 0);
			else
				rec_pager_wake(a);
		} else {
			v = rec_pager_resolve(&f);
			if (f.far)
				rec_far_wake_later(a);
		}
		break;
	case UFFD_EVENT_FORK:
		rec_child_new((int)m->arg.fork.ufd);
		break;
	case UFFD_EVENT_REMAP:
		if (p->child == IMAGE)
			let_go(m);
		break;
	default:
		break;
	}
	rec_lock_drop(&rec.pager);
	return v;
}

void rec_inbox_work(void)
{
	unsigned int to = 0, i;

	/*
	 * In order; what must wait keeps its place. Nothing passes a fork: the
	 * parent counts on that (rec_fork_install).
	 */
	for (i = 0; i < npending; i++) {
		if (process(&pending[i]) == REC_DONE)
			continue;
		pending[to++] = pending[i];
		if (pending[i].msg.event != UFFD_EVENT_PAGEFAULT) {
			i++;
			break;
		}
	}
	/* but the lock that the fork waits for: its owner may be asleep further on */
	for (; i < npending; i++)
		if (!rescue(&pending[i]))
			pending[to++] = pending[i];
	npending = to;
}

void rec_inbox_fetch(int uffd, int child)
{
	struct uffd_msg m[16];
	uint64_t now;
	long got;

	while (npending + 16 <= PENDING) {
		got = sys3(SYS_read, uffd, m, sizeof m);
		if (got < (long)sizeof m[0])
			return;
		now = sys_now();
		for (long i = 0; i < got / (long)sizeof m[0]; i++)
			pending[npending++] = (struct pending){ m[i], now, child };
		if (got < (long)sizeof m)
			return;
	}
}
