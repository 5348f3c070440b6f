// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * handler.c - path A: resolve a user-mode fault on the thread that raised it.
 *
 * Each thread has a perf event of its user-mode page faults in the region. perf fires before
 * the thread sleeps in the userfaultfd, and makes a signal pending for that thread. So the
 * sleep ends at once, and the handler fills the page. No other task has to wake up. Before
 * Linux 6.10 the signal is sent although the BPF filter rejects the fault. Installation
 * detects such kernels, which get path B. So do processors other than x86-64.
 *
 * The signal is the one that libc reserves for pthread_cancel(). Programs can neither block
 * nor handle it through libc. It never interrupts a system call, because it is raised in user
 * mode only. If libc itself has blocked it, the server finds the fault, because it checks the
 * userfaultfd every 10 ms.
 *
 * The kernel sends SIGIO instead if the user has as many pending signals as RLIMIT_SIGPENDING
 * allows. That would kill a program without a handler of SIGIO, so the recorder installs one.
 *
 * A program with one thread is served by the server while that is cheaper: see thread/solo.h.
 *
 * A second event, of kernel-mode faults, sends SIGIO to the server. So the server sleeps while
 * threads serve their own faults.
 */
#include "handler.h"

#include "altstack.h"
#include "arch/context.h"
#include "arch/instruction.h"
#include "image/clock.h"
#include "image/image.h"
#include "image/sigaction.h"
#include "pager/evict.h"
#include "pager/link.h"
#include "pager/page_fault.h"
#include "pager/touch_ring.h"
#include "perf_event.h"
#include "recent.h"
#include "region/freeze.h"
#include "region/region.h"
#include "thread/perf_sample.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#define SIGNAL 32		/* libc's SIGCANCEL */

static rec_handler *libc_cancel;

static void resolve(struct rec_fault *f)
{
	enum rec_outcome outcome;
	uint32_t seen;
	bool room;

	for (;;) {
		rec_lock_take(&rec_pager_lock, f->tid);
		outcome = rec_fault_resolve(f);
		room = rec_evict_may_exceed(f->tid, f->time);
		seen = rec_freeze.ended;
		rec_lock_release(&rec_pager_lock);
		/* If the kernel refused the page for now, the thread faults again. */
		if (outcome == FAULT_DONE || room)
			return;
		rec_freeze_wait(seen);
	}
}

/*
 * Fill in address, ip, cpu and time. Return false if the signal is late: the thread executes
 * another instruction, or the page is there.
 */
static bool describe(struct rec_fault *f, const struct rec_thread *t, uint64_t ip)
{
	struct rec_perf_sample s;
	size_t page;

	if (!t || !t->backtrace || !rec_image_is_ready() || !rec_perf_sample_last(t, ip, &s))
		return false;
	f->address = s.address;
	f->ip = s.regs.ip;
	f->sp = s.regs.sp;
	f->cpu = s.cpu;
	if (s.time && s.time < f->time)
		f->time = s.time;
	/*
	 * A page that is marked resident may be missing, because the program dropped it unseen. If
	 * it is there, the kernel says so.
	 */
	page = rec_page_at(f->address);
	f->probably_done = rec_page_state(page) == PAGE_RESIDENT;
	return true;
}

/*
 * Help with a fault on memory that is not limited. The kernel serves the fault, but it may want to
 * retry without the lock of the mapping, for example on shared memory of System V
 * (vmf_can_call_fault()). If perf's signal is pending, it returns to the program instead, which
 * faults again. So if a fault comes twice, fill its page here, where the signal is blocked. The
 * program raises the error if that is impossible.
 */
static void pass(struct rec_thread *t, const struct rec_fault *f)
{
	bool stores = rec_instruction_stores((const uint8_t *)f->ip);

	if (t->ejected == f->address)
		sys3(SYS_madvise, f->address & ~(FLT_PAGE - 1), FLT_PAGE,
		     stores ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
	t->ejected = f->address;
}

/* Resolve the fault of the calling thread, whose registers are in the context. */
static void resolve_own(const void *context)
{
	const struct rec_regs regs = rec_context_registers(context);
	uint32_t tid = rec_tid();
	struct rec_fault f = { .tid = tid, .time = rec_now(), .flags = FLT_RING_F_INLINE };
	struct rec_thread *t;

	t = rec_thread_find(tid);
	if (t)
		__atomic_store_n(&t->last_running, f.time, __ATOMIC_RELAXED);
	if (!describe(&f, t, regs.ip))
		return;
	/* That of a fault that the server resolved, before it armed path A. */
	if (t->perf_before)
		rec_perf_sample_close_older(t);
	if (rec_page_is_ejected(rec_page_at(f.address))) {
		pass(t, &f);
		return;
	}
	t->ejected = 0;
	if (rec_instruction_stores((const uint8_t *)regs.ip))
		f.flags |= FLT_RING_F_WRITE;
	if (!(rec_image.config.flags & FLT_REC_NO_STACK))
		rec_fault_add_stack(&f, t->backtrace,
				    rec_backtrace_take(t->backtrace, &regs, t->stack, tid));
	resolve(&f);
	if (f.far)
		rec_link_wait(f.address & ~(FLT_PAGE - 1));
}

/* libc may run clean-up handlers and end the thread: with the signals of the program. */
static void cancel(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	uint64_t mask;

	memcpy(&mask, &interrupted->uc_sigmask, sizeof(mask));
	sys_restore_signals(mask | 1ULL << (SIGNAL - 1));
	libc_cancel(sig, info, context);
}

static void handle(int sig, siginfo_t *info, void *context)
{
	if (info->si_code == SI_TKILL || info->si_code == SI_QUEUE) {
		if (libc_cancel)
			cancel(sig, info, context);
		return;
	}
	/* In this order: rec_handler_turn_off() clears `inlined` before it reads `handling`. */
	__atomic_fetch_add(&rec_threads.handling, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&rec_threads.inlined, __ATOMIC_SEQ_CST))
		resolve_own(context);
	__atomic_fetch_sub(&rec_threads.handling, 1, __ATOMIC_RELEASE);
}

/* Handle SIGIO where the program has no handler. Do the default action unless perf sent it. */
static void handle_overflow(int sig, siginfo_t *info, void *context)
{
	if (info->si_code == SI_KERNEL) {
		handle(sig, info, context);
		return;
	}
	rec_sigaction_set(sig, NULL, 0);	/* SIG_DFL */
	sys3(SYS_tgkill, sys0(SYS_getpid), sys0(SYS_gettid), sig);
}

void rec_handler_turn_off(void)
{
	struct timespec nap = { .tv_nsec = 50000 };

	if (!__atomic_exchange_n(&rec_threads.inlined, false, __ATOMIC_SEQ_CST))
		return;
	rec_image_wake_server();
	for (size_t i = 0; i < REC_THREADS; i++)
		rec_handler_close(&rec_threads.slot[i]);
	while (__atomic_load_n(&rec_threads.handling, __ATOMIC_SEQ_CST))
		sys2(SYS_nanosleep, &nap, 0);
}

bool rec_handler_uses(int sig)
{
	return sig == SIGNAL && rec_threads.inlined;
}

bool rec_handler_is_possible(void)
{
	return REC_HAS_INLINE && !(rec_image.config.flags & FLT_REC_NO_INLINE);
}

void rec_handler_install(bool again)
{
	if (!rec_handler_is_possible() || (again && !rec_threads.inlined))
		return;
	/* First, because the check below may leave the signal pending. The first image checks. */
	rec_sigaction_set(SIGNAL, handle, SA_RESTART | SA_ONSTACK);
	rec_threads.inlined = false;
	if (!(rec_image.config.flags & FLT_REC_INLINED) && !rec_perf_event_is_filtered(SIGNAL))
		return;
	rec_threads.inlined = rec_threads.filter >= 0;
	/* NULL is SIG_DFL. */
	if (rec_threads.inlined && !rec_sigaction_get(SIGIO).handler)
		rec_sigaction_set(SIGIO, handle_overflow, SA_RESTART | SA_ONSTACK);
}

static void *open_kernel_event(const struct rec_thread *t, int filter)
{
	return rec_perf_event_open(t->tid, filter, true, F_OWNER_PID, rec_image.server_pid, 0);
}

static void *open_user_event(const struct rec_thread *t, int filter)
{
	return rec_perf_event_open(t->tid, filter, false, F_OWNER_TID, (int)t->tid, SIGNAL);
}

bool rec_handler_prepare(struct rec_thread *t)
{
	struct rec_backtrace *buffer;

	if (!rec_altstack_allocate(t, &buffer))
		return false;
	__atomic_store_n(&t->backtrace, buffer, __ATOMIC_RELEASE);
	return true;
}

void rec_handler_close(struct rec_thread *t)
{
	rec_perf_event_close(&t->user_event);
	rec_perf_event_close(&t->kernel_event);
}

bool rec_handler_arm(struct rec_thread *t)
{
	int filter = rec_touch_ring_filter();

	if (filter < 0)
		filter = rec_threads.filter;
	if (!t->backtrace)
		return false;
	t->kernel_event = open_kernel_event(t, filter);
	if (t->kernel_event)
		t->user_event = open_user_event(t, filter);
	/*
	 * perf handles the youngest event of a thread first. The ring must be the youngest, so that
	 * the sample's time is from before the signal, which may cost more than all the rest.
	 */
	if (!t->user_event || !rec_perf_sample_renew(t) ||
	    !__atomic_load_n(&rec_threads.inlined, __ATOMIC_SEQ_CST))
		rec_handler_close(t);	/* impossible, or turned off meanwhile */
	t->armed = rec_now();
	return t->user_event != NULL;
}

/* Put a new event in the place of an old one, unless the thread was disarmed meanwhile. */
static bool replace(void **event, void *old, void *new)
{
	if (!new)
		return false;
	if (__atomic_compare_exchange_n(event, &old, new, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED))
		rec_perf_event_close(&old);
	else
		rec_perf_event_close(&new);
	return true;
}

bool rec_handler_renew(struct rec_thread *t)
{
	void *kernel = __atomic_load_n(&t->kernel_event, __ATOMIC_ACQUIRE);
	void *user = __atomic_load_n(&t->user_event, __ATOMIC_ACQUIRE);
	int filter = rec_touch_ring_filter();

	/* For a moment a fault may raise the signal of both events, which is pending once. */
	return (!kernel || replace(&t->kernel_event, kernel, open_kernel_event(t, filter))) &&
	       (!user || replace(&t->user_event, user, open_user_event(t, filter)));
}

void rec_handler_disarm(struct rec_thread *t)
{
	rec_handler_close(t);
	rec_altstack_free(t);
}

void rec_handler_chain_cancel(void)
{
	uint64_t signals = sys_block_signals();
	rec_handler *now = rec_sigaction_get(SIGNAL).handler;

	if (now != handle) {
		libc_cancel = now;
		rec_sigaction_set(SIGNAL, handle, SA_RESTART | SA_ONSTACK);
	}
	sys_restore_signals(signals);
}
