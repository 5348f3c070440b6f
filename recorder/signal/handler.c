// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inline.c - path A: a user-mode fault resolved on the thread that took it.
 *
 * Each thread has a perf event of its user-mode page faults in the region. perf
 * fires before the thread sleeps in the userfaultfd and makes a signal pending
 * for that very thread, so the sleep ends at once and the handler fills the
 * page: no other task has to wake up. A BPF filter keeps faults elsewhere out;
 * without it a file fault that the kernel retries would meet the pending
 * signal for ever. Kernels that raise the signal in spite of the filter (before
 * 6.10) are found out by trying, and get path B.
 *
 * The signal is the one libc keeps for pthread_cancel(): programs can neither
 * block it nor handle it through libc, and no system call is ever interrupted
 * by it, for it is raised in user mode only. Where libc itself has blocked it,
 * the server's look at the descriptor every 10 ms finds the fault.
 *
 * A second event, of kernel-mode faults, sends the server SIGIO; so the server
 * sleeps through the faults that are none of its business.
 */
#include "rec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define SIGNAL 32		/* libc's SIGCANCEL */
/* The odd size tells ours from the program's. */
#define STACK_BYTES (17 * REC_PAGE)
#define TRACE_BYTES ((sizeof(struct rec_trace) + REC_PAGE - 1) & ~(REC_PAGE - 1))

#define EXPORT __attribute__((visibility("default")))

struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static struct kernel_sigaction libc_cancel;

void rec_inline_restore(void);
__asm__(".text\n.globl rec_inline_restore\n.hidden rec_inline_restore\n"
	".type rec_inline_restore,@function\nrec_inline_restore:\n"
	"mov $15, %eax\nsyscall\n");

/* struct bpf_perf_event_data: the registers, then sample_period, then addr */
#define BPF_ADDRESS 176

static long load_filter(uint64_t lo, uint64_t hi)
{
	struct bpf_insn code[] = {
		{ BPF_LDX | BPF_MEM | BPF_DW, 2, 1, BPF_ADDRESS, 0 },
		{ BPF_LD | BPF_IMM | BPF_DW, 3, 0, 0, (int)lo },
		{ 0, 0, 0, 0, (int)(lo >> 32) },
		{ BPF_LD | BPF_IMM | BPF_DW, 4, 0, 0, (int)hi },
		{ 0, 0, 0, 0, (int)(hi >> 32) },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_JLT | BPF_X, 2, 3, 2, 0 },
		{ BPF_JMP | BPF_JGE | BPF_X, 2, 4, 1, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	static const char license[] = "GPL";
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	a.insns = (uintptr_t)code;
	a.insn_cnt = sizeof(code) / sizeof(code[0]);
	a.license = (uintptr_t)license;
	return sys3(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a));
}

/*
 * An event of this thread's faults that pass the filter, which signals `owner`.
 * The mapping of its first page keeps it alive without a descriptor.
 */
static void *open_event(int filter, bool kernel, int owner_type, int owner, int sig)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(a),
		.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1,
		.sample_type = PERF_SAMPLE_ADDR, .wakeup_events = 1,
		.exclude_user = kernel, .exclude_kernel = !kernel,
		/*
		 * The server keeps the old memory, and so this event, beyond an exec; the
		 * new image has no handler, and other things at these addresses.
		 */
		.remove_on_exec = 1,
	};
	struct f_owner_ex to = { owner_type, owner };
	long fd = sys5(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *m = NULL;

	if (fd < 0)
		return NULL;
	if (sys3(SYS_ioctl, fd, PERF_EVENT_IOC_SET_BPF, filter) >= 0 &&
	    sys3(SYS_fcntl, fd, F_SETOWN_EX, &to) >= 0 &&
	    sys3(SYS_fcntl, fd, F_SETSIG, sig) >= 0 &&
	    sys3(SYS_fcntl, fd, F_SETFL, O_RDONLY | O_ASYNC) >= 0) {
		m = sys_mmap(NULL, REC_PAGE, PROT_READ, MAP_SHARED, (int)fd, 0);
		if (sys_failed((long)m))
			m = NULL;
	}
	sys1(SYS_close, fd);
	return m;
}

static void resolve(struct rec_fault *f)
{
	struct timespec t = { .tv_nsec = 2000000 };
	enum rec_verdict v;
	uint32_t seen;
	bool room;

	for (;;) {
		rec_lock_take(&rec.pager, f->tid);
		v = rec_pager_resolve(f);
		room = rec_evict_may_grow(f);
		seen = rec.thawed;
		rec_lock_drop(&rec.pager);
		/* what the kernel has refused for the moment faults again */
		if (v == REC_DONE || room)
			return;
		sys4(SYS_futex, &rec.thawed, FUTEX_WAIT_PRIVATE, seen, &t);
	}
}

static void handle(int sig, siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint32_t tid = rec_tid();
	struct rec_fault f = { .tid = tid, .cpu = 0xffff, .time = sys_now() };
	struct rec_thread *t;
	struct rec_regs regs;
	size_t page;

	if (info->si_code == SI_TKILL || info->si_code == SI_QUEUE) {
		if (libc_cancel.handler)
			libc_cancel.handler(sig, info, context);
		return;
	}
	t = rec_thread_find(tid);
	/* whatever it slept in, that sleep is over */
	if (t)
		__atomic_store_n(&t->awake, f.time, __ATOMIC_RELAXED);
	regs = (struct rec_regs){
		.ip = (uint64_t)g[REG_RIP], .sp = (uint64_t)g[REG_RSP],
		.bp = (uint64_t)g[REG_RBP], .bx = (uint64_t)g[REG_RBX],
		.r12 = (uint64_t)g[REG_R12], .r13 = (uint64_t)g[REG_R13],
		.r14 = (uint64_t)g[REG_R14], .r15 = (uint64_t)g[REG_R15],
	};
	/* a late signal finds another instruction, or the page in place */
	if (!t || !t->trace || !rec.ready || !rec_thread_last(t, regs.ip, &f))
		return;
	page = (f.address - rec.lo) / REC_PAGE;
	/*
	 * There already: the signal is late. If it is marked so but was dropped behind
	 * our back, the server finds the fault when it comes again.
	 */
	if ((rec.page[page] & REC_STATE) == REC_PLAIN ||
	    (rec.page[page] & REC_STATE) == REC_RESIDENT)
		return;
	if (rec_insn_stores((const uint8_t *)regs.ip))
		f.flags |= FLT_RING_F_WRITE;
	f.flags |= FLT_RING_F_INLINE;
	if (!(rec.cfg.flags & FLT_REC_NO_STACK)) {
		rec_unwind(t->trace, &f, &regs, t);
		f.trace = t->trace;
	}
	resolve(&f);
	if (f.far)
		rec_far_wait(f.address & ~(REC_PAGE - 1));
}

static void install(void)
{
	struct kernel_sigaction sa = {
		.handler = handle,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | 0x04000000 /* SA_RESTORER */,
		.restorer = rec_inline_restore, .mask = ~0ULL,
	};

	sys4(SYS_rt_sigaction, SIGNAL, &sa, 0, 8);
}

/* Does the filter hold the signal back here? Called with the signal blocked. */
static bool filter_works(void)
{
	long filter = load_filter(4096, 8192);	/* nothing is ever there */
	uint64_t pending = 0;
	volatile char *page;
	void *event;

	if (filter < 0)
		return false;
	event = open_event((int)filter, false, F_OWNER_TID, (int)rec_tid(), SIGNAL);
	sys1(SYS_close, filter);
	if (!event)
		return false;
	page = sys_mmap(NULL, REC_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sys_failed((long)page)) {
		*page = 1;
		sys2(SYS_munmap, page, REC_PAGE);
	}
	sys2(SYS_munmap, event, REC_PAGE);
	sys2(SYS_rt_sigpending, &pending, 8);
	/* one that came in spite of it stays blocked until the handler stands */
	return !(pending >> (SIGNAL - 1) & 1);
}

/* Once per image, all signals blocked; without it every fault goes to the server. */
void rec_inline_setup(bool again)
{
	if (rec.cfg.flags & FLT_REC_NO_INLINE)
		return;
	if (again && !rec.inlined)
		return;
	install();
	rec.inlined = false;
	if (!filter_works())
		return;
	if (!again)
		rec.filter = (int)load_filter(rec.lo, rec.hi);
	rec.inlined = rec.filter >= 0;
}

static bool is_ours(const stack_t *s)
{
	return !(s->ss_flags & SS_DISABLE) && s->ss_size == STACK_BYTES;
}

/* The calling thread; false: it must be served by the server. */
bool rec_inline_arm(struct rec_thread *t)
{
	stack_t s = { 0 };
	char *m;

	if (!rec.inlined)
		return false;
	m = sys_mmap(NULL, TRACE_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed((long)m))
		return false;
	t->altstack = m + TRACE_BYTES;
	sys2(SYS_sigaltstack, 0, &s);
	if (s.ss_flags & SS_DISABLE || is_ours(&s)) {
		s = (stack_t){ .ss_sp = t->altstack, .ss_size = STACK_BYTES };
		sys2(SYS_sigaltstack, &s, 0);
	}
	t->kernel_event = open_event(rec.filter, true, F_OWNER_PID, rec.server_pid, 0);
	if (t->kernel_event)
		t->user_event = open_event(rec.filter, false, F_OWNER_TID, (int)t->tid, SIGNAL);
	__atomic_store_n(&t->trace, (struct rec_trace *)m, __ATOMIC_RELEASE);
	return t->user_event != NULL;
}

void rec_inline_disarm(struct rec_thread *t)
{
	stack_t s = { 0 }, off = { .ss_flags = SS_DISABLE };

	if (t->user_event)
		sys2(SYS_munmap, t->user_event, REC_PAGE);
	if (t->kernel_event)
		sys2(SYS_munmap, t->kernel_event, REC_PAGE);
	t->user_event = t->kernel_event = NULL;
	if (!t->trace)
		return;
	sys2(SYS_sigaltstack, 0, &s);
	if (s.ss_sp == t->altstack && !(s.ss_flags & SS_ONSTACK))
		sys2(SYS_sigaltstack, &off, 0);
	else if (s.ss_sp == t->altstack)
		return;		/* we run on it: it goes with the process */
	sys2(SYS_munmap, t->trace, TRACE_BYTES + STACK_BYTES);
	t->trace = NULL;
	t->altstack = NULL;
}

/* The program sees its own alternative stack or none, never ours. */
EXPORT int sigaltstack(const stack_t *set, stack_t *old)
{
	struct rec_thread *t = rec.inlined ? rec_thread_find(rec_tid()) : NULL;
	stack_t before = { 0 }, ours;
	long ret;

	if (!t || !t->altstack) {
		ret = sys2(SYS_sigaltstack, set, old);
		goto out;
	}
	ours = (stack_t){ .ss_sp = t->altstack, .ss_size = STACK_BYTES };
	if (set && set->ss_flags & SS_DISABLE)
		set = &ours;
	ret = sys2(SYS_sigaltstack, set, &before);
	if (!ret && old)
		*old = is_ours(&before) ? (stack_t){ .ss_flags = SS_DISABLE } : before;
out:
	if (ret >= 0)
		return 0;
	errno = (int)-ret;
	return -1;
}

/* libc puts its own handler in place at the first cancellation: ours goes before it. */
EXPORT int pthread_cancel(pthread_t thread)
{
	static int (*next)(pthread_t);
	struct kernel_sigaction now = { 0 };
	uint64_t signals;
	int ret;

	if (!next)
		next = (int (*)(pthread_t))dlsym(RTLD_NEXT, "pthread_cancel");
	if (!next)
		return ENOSYS;
	if (!rec.inlined)
		return next(thread);
	ret = next(thread);
	signals = sys_block_signals();
	sys4(SYS_rt_sigaction, SIGNAL, 0, &now, 8);
	if (now.handler != handle) {
		libc_cancel = now;
		install();
	}
	sys_restore_signals(signals);
	return ret;
}
