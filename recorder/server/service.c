// SPDX-License-Identifier: GPL-2.0-or-later
/* service.c - faults of the image and its forked children, forks and raw mremap() calls. */
#include "service.h"

#include "fork_child.h"
#include "image/clock.h"
#include "image/image.h"
#include "pager/errand.h"
#include "pager/limit.h"
#include "pager/link.h"
#include "pager/missed_touch.h"
#include "region/freeze.h"
#include "region/region.h"
#include "region/shadow.h"
#include "schedule.h"
#include "thread/perf_sample.h"
#include "thread/sleep.h"
#include "thread/solo.h"
#include "trace/writer.h"

#include <errno.h>

/* Path A: time for a thread to resolve its own fault. */
#define YIELD_NS 15000000L

static bool unreported, refused;
static struct rec_backtrace backtrace;

bool rec_service_take_unreported(void)
{
	bool was = unreported;

	unreported = false;
	return was;
}

bool rec_service_take_refused(void)
{
	bool was = refused;

	refused = false;
	return was;
}

static uintptr_t page_of(const struct rec_message *m)
{
	return m->msg.arg.pagefault.address & ~(FLT_PAGE - 1);
}

/*
 * Add a thread that is not in the table to the watched ones: it was made by a raw clone, so
 * only the userfaultfd reports its faults. The child of a vfork is not added, because it is
 * gone soon.
 */
static void watch_stranger(uint32_t tid)
{
	if (rec_sleep_is_own_thread(tid))
		__atomic_fetch_add(&rec_threads.watched, 1, __ATOMIC_RELAXED);
	else
		unreported = true;
}

/* Add registers and backtrace to a fault. Needs no lock, because its thread sleeps. */
static void describe(struct rec_fault *f, const struct uffd_msg *m)
{
	struct rec_thread *t = rec_thread_find(f->tid);
	struct rec_perf_sample s;

	if (!t && rec_threads.inlined && rec_solo_is_alone())
		watch_stranger(f->tid);
	f->cpu = 0xffff;
	if (!rec_perf_sample_find(t, f->address & ~(FLT_PAGE - 1), &s)) {
		f->flags |= FLT_RING_F_NOREGS;
		if (!(m->arg.pagefault.address & (FLT_PAGE - 1)))
			f->flags |= FLT_RING_F_PAGE;
		return;
	}
	if (s.time && s.time < f->time && s.time >= t->fault_time)
		f->time = s.time;
	f->sample_time = s.time;
	f->address = s.address;
	f->ip = s.regs.ip;
	f->sp = s.regs.sp;
	f->cpu = s.cpu;
	if (s.in_kernel)
		f->flags |= FLT_RING_F_KERNEL;
	rec_schedule_follow(f->cpu);
	if (!(rec_image.config.flags & FLT_REC_NO_STACK))
		rec_fault_add_stack(f, &backtrace,
				    rec_backtrace_take(&backtrace, &s.regs, t->stack, 0));
}

/*
 * Return true if the thread of this fault should resolve it itself: path A was armed, and the
 * fault was raised in user mode.
 */
static bool is_for_thread(const struct rec_thread *t, uintptr_t page)
{
	struct rec_perf_sample s;

	if (!rec_perf_sample_find(t, page, &s)) {
		/* No exception at all: the kernel accesses the page, for direct I/O or the like. */
		unreported = true;
		return false;
	}
	return !s.in_kernel && s.time >= t->armed;
}

/* Return the time since which `releases` has not changed: see struct rec_lock. */
static uint64_t held_since(uint32_t releases)
{
	static uint32_t seen;
	static uint64_t since;

	if (!since || releases != seen) {
		seen = releases;
		since = rec_now();
	}
	return since;
}

/*
 * Check that the thread did not release the lock meanwhile. A thread that released the lock
 * may sleep in another fault for a moment, and would then run while the server fills the page.
 */
bool rec_service_owner_faults(uint32_t tid)
{
	uint32_t releases = rec_lock_releases(&rec_pager_lock);

	return rec_lock_owner(&rec_pager_lock) == tid && !rec_writer_is_stuck() &&
	       rec_sleep_in(tid, "handle_userfault", held_since(releases)) &&
	       rec_lock_releases(&rec_pager_lock) == releases;
}

static bool is_errand(const struct rec_message *m)
{
	return m->msg.event == UFFD_EVENT_PAGEFAULT && m->child == REC_IMAGE &&
	       rec_errand_is_at(page_of(m));
}

/* Return false if the kernel refuses to fill the page of the errand for now. */
static bool run_errand(const struct rec_message *m)
{
	rec_limit_run_errand();
	return rec_errand_release(page_of(m));
}

bool rec_service_rescue(const struct rec_message *m, bool fork_pending)
{
	if (is_errand(m)) {
		refused = !run_errand(m);
		return !refused;
	}
	if (m->msg.event != UFFD_EVENT_PAGEFAULT || m->child != REC_IMAGE ||
	    !rec_service_owner_faults(m->msg.arg.pagefault.feat.ptid))
		return false;
	/* The child of that fork, which is not connected, finds the page in the shadow. */
	if (fork_pending && !rec_shadow.frozen) {
		rec_shadow.frozen = true;
		rec_freeze.raw = true;
	}
	refused = !rec_fault_rescue(m->msg.arg.pagefault.address);
	return !refused;
}

/* Resolve a store to a page that is write-protected for eviction (kernels without MOVE). */
static void unprotect(uintptr_t a)
{
	if (rec_region_contains(a) && rec_page_state(rec_page_at(a)) == PAGE_RESIDENT)
		uffd_protect(rec_region.uffd, a, FLT_PAGE, 0);
	else
		uffd_wake(rec_region.uffd, a, FLT_PAGE);
}

static enum rec_outcome answer_image_fault(const struct rec_message *m)
{
	const struct uffd_msg *u = &m->msg;
	struct rec_fault f = { .time = m->time, .asleep = m->time };
	enum rec_outcome outcome = FAULT_DONE;
	uintptr_t a = page_of(m);
	struct rec_thread *t;

	f.address = u->arg.pagefault.address;
	f.tid = u->arg.pagefault.feat.ptid;
	if (u->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WRITE)
		f.flags |= FLT_RING_F_WRITE;
	t = rec_threads.inlined ? rec_thread_find(f.tid) : NULL;
	/*
	 * If the thread ran since, its sleep is over. Only its handler sets last_running. The
	 * time of a resolved fault would not do, because the thread can fault on its limited
	 * stack on the way to the handler.
	 */
	if (t && t->user_event && __atomic_load_n(&t->last_running, __ATOMIC_RELAXED) > m->time)
		return FAULT_DONE;
	if (rec_lock_owner(&rec_pager_lock) == f.tid)
		return rec_service_rescue(m, false) ? FAULT_DONE : FAULT_RETRY;
	if (t && t->user_event && is_for_thread(t, a)) {
		if (rec_now() - m->time < YIELD_NS &&
		    !rec_missed_touch_is_noted(rec_page_at(a)))
			return FAULT_RETRY;
		/* The thread did not resolve it in time, but its page may be there by now. */
		f.probably_done = true;
	}
	describe(&f, u);
	f.caller_wakes = rec_solo_is_served();
	if (!rec_lock_try_briefly(&rec_pager_lock, (uint32_t)rec_image.server_pid))
		return FAULT_RETRY;
	if (u->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP)
		unprotect(a);
	else
		outcome = rec_fault_resolve(&f);
	if (f.far)
		rec_link_wake_later(a);
	rec_lock_release(&rec_pager_lock);
	if (f.caller_wakes && outcome == FAULT_DONE) {
		rec_schedule_note(f.asleep - f.time);
		/* Last, because the thread runs at once. */
		if (!f.far)
			uffd_wake(rec_region.uffd, a, FLT_PAGE);
	}
	return outcome;
}

static enum rec_outcome answer_event(const struct rec_message *m)
{
	const struct uffd_msg *u = &m->msg;
	enum rec_outcome outcome = FAULT_DONE;

	if (!rec_lock_try_briefly(&rec_pager_lock, (uint32_t)rec_image.server_pid))
		return FAULT_RETRY;
	switch (u->event) {
	case UFFD_EVENT_PAGEFAULT:
		outcome = rec_fork_child_serve(m->child, page_of(m));
		break;
	case UFFD_EVENT_REMAP:
		if (m->child == REC_IMAGE)
			rec_limit_eject_moved(u->arg.remap.from, u->arg.remap.to, u->arg.remap.len);
		break;
	default:
		break;
	}
	rec_lock_release(&rec_pager_lock);
	return outcome;
}

enum rec_outcome rec_service_answer(const struct rec_message *m)
{
	/* A child that has left needs no answer. */
	if (m->child != REC_IMAGE && rec_fork_child_uffd(m->child) < 0)
		return FAULT_DONE;
	if (m->msg.event != UFFD_EVENT_PAGEFAULT || m->child != REC_IMAGE)
		return answer_event(m);
	if (is_errand(m))
		return rec_service_rescue(m, false) ? FAULT_DONE : FAULT_RETRY;
	if (page_of(m) == rec_freeze.barrier) {
		/* -EAGAIN: another thread changes the address space at this moment. */
		if (uffd_zero(rec_region.uffd, rec_freeze.barrier, FLT_PAGE, 0) == -EAGAIN)
			return FAULT_RETRY;
		uffd_wake(rec_region.uffd, rec_freeze.barrier, FLT_PAGE);
		return FAULT_DONE;
	}
	return answer_image_fault(m);
}
