// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * server.c - the fault server of one image.
 *
 * A process that shares the image's memory (so that it may move and drop pages)
 * but not its thread group, descriptors, signals or parent: it is seen by no
 * wait() of the program, holds none of its pipes open, and outlives its SIGKILL,
 * abort, exec and exit, long enough to see that nothing is left to serve. It is
 * made by a process in between that exits at once, so that it becomes fltctl's
 * child. It runs on a stack and a thread pointer of its own.
 *
 * It never waits for the pager lock: the lock's owner may be asleep in a fault
 * that only the server can resolve (rec_pager_rescue).
 */
#include "rec.h"
#include "uffd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/kcmp.h>
#include <linux/prctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#define STACK_BYTES (256UL << 10)
#define PENDING 512
#define TICK_NS 500000000L
#define LOOK_NS 10000000L	/* path A: for faults whose signal was blocked */
#define HOT_NS   3000000L	/* path A: how long to go on looking after one in the kernel */
#define YIELD_NS 15000000L	/* path A: time for a thread to do it itself */

struct pending {
	struct uffd_msg msg;
	uint64_t time;
	int child;		/* index in rec.child, or one of these */
};
#define IMAGE      (-1)
#define CHILD_GONE (-2)

/* One server to a memory; a forked child starts its own in its own copy. */
static struct pending pending[PENDING];
static unsigned int npending;
static struct {
	uint64_t when;
	uintptr_t page;
} wake[PENDING];		/* far-memory model: pages filled, not yet arrived */
static unsigned int wake_head, wake_tail;
static int sock, pidfd, cpu_seen, cpu_set, kicks;
static bool kernel_lacks_kcmp;
static bool stay_hot;		/* path A: go on watching the descriptor */
static bool ending;		/* the image is over; its children may still need us */
static struct rec_trace trace;

/* The last word; fltctl hangs up when it has read all that it wants of us. */
static void leave(int type, const char *text)
{
	struct flt_rec_message m = { .type = (uint32_t)type, .pid = rec.pid };
	int pass[2];

	/* children not yet on their own lose their parent's server now */
	for (int i = 0; i < REC_CHILDREN; i++)
		if (rec.child[i].uffd >= 0)
			rec_pager_release_child(rec.child[i].uffd);
	if (text)
		strncpy(m.text, text, sizeof m.text - 1);
	if (!rec_control_send(sock, &m, -1))
		while (rec_control_receive(sock, &m, pass, true) == 1)
			;
	sys1(SYS_exit_group, 0);
}

static void kill_target(const char *why)
{
	rec.dead = true;
	sys4(SYS_pidfd_send_signal, pidfd, SIGKILL, 0, 0);
	leave(FLT_REC_FATAL, why);
}

static void wake_arrived(bool all)
{
	uint64_t now = wake_head != wake_tail ? sys_now() : 0;

	while (wake_tail != wake_head &&
	       (all || wake[wake_tail % PENDING].when <= now))
		rec_pager_wake(wake[wake_tail++ % PENDING].page);
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

static bool take_lock(void)
{
	for (int spin = 0; spin < 200; spin++) {
		if (rec_lock_try(&rec.pager, (uint32_t)rec.server_pid))
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

/* Registers and stack, before the lock is taken: the thread is asleep. */
static void describe(struct rec_fault *f, const struct uffd_msg *m)
{
	struct rec_thread *t = rec_thread_find(f->tid);
	struct rec_regs regs;
	uint64_t exact;

	/* made by a raw clone: nothing tells us of its faults but the descriptor */
	if (rec.inlined && !t && !rec.watched)
		__atomic_fetch_add(&rec.watched, 1, __ATOMIC_RELAXED);

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

/* For a forked child not yet on its own, from our frozen shadow. */
static enum rec_verdict serve_child(const struct pending *p)
{
	int fd = rec.child[p->child].uffd, ret;
	uintptr_t a = p->msg.arg.pagefault.address & ~(REC_PAGE - 1);
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
	for (unsigned int k = 0; k < npending; k++)
		if (pending[k].msg.event == UFFD_EVENT_FORK)
			return;
	/* copies that were kept for children are stale now */
	for (size_t i = 0; rec.kept && i < rec.npages; i++)
		if (rec.page[i] & REC_KEPT) {
			rec.kept--;
			sys3(SYS_madvise, rec.lo + i * REC_PAGE + rec.distance, REC_PAGE,
			     MADV_DONTNEED);
			rec.page[i] &= (uint8_t)~REC_KEPT;
		}
	rec.kept = 0;
	rec.frozen = false;
	rec_evict_room(0);
	sys3(SYS_futex, &rec.thawed, FUTEX_WAKE_PRIVATE, 1 << 30);
}

static void end_child(int i, bool unlimited)
{
	if (unlimited) {
		rec_pager_release_child(rec.child[i].uffd);
		rec.totals->forks_unlimited++;
	} else {
		rec.totals->forks++;
	}
	sys1(SYS_close, rec.child[i].uffd);
	rec.child[i].uffd = -1;
	for (unsigned int k = 0; k < npending; k++)
		if (pending[k].child == i)
			pending[k].child = CHILD_GONE;
}

/*
 * A forked child's descriptor has arrived. The shadow holds still from here
 * until it has gone to the child's own server; fork() has seen to that before
 * forking, a raw clone has not, so that child is filled up and let go.
 */
static void new_child(int uffd)
{
	for (int i = 0; i < REC_CHILDREN; i++) {
		if (rec.child[i].uffd >= 0)
			continue;
		rec.child[i] = (struct rec_child){
			.uffd = uffd, .seq = rec.fork_seq, .since = sys_now(),
			.expected = rec.frozen,
		};
		if (!rec.child[i].expected)
			end_child(i, true);
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

static void check_children(void)
{
	uint64_t now = sys_now();

	for (int i = 0; i < REC_CHILDREN; i++) {
		if (rec.child[i].uffd < 0)
			continue;
		if (!child_alive(rec.child[i].uffd))
			end_child(i, false);
		else if (now - rec.child[i].since > 3000000000ULL)
			end_child(i, true);
	}
	thaw();
}

/*
 * Is this thread asleep in a page fault now? A message alone does not say so: a
 * signal may have ended that sleep, and its handler may hold the lock and be at
 * work. Where the kernel does not say what a task waits in, time must tell: nobody
 * holds the lock that long awake.
 */
static bool sleeps_in_fault(uint32_t tid, uint64_t since)
{
	static const char where[] = "handle_userfault";
	char path[64] = "/proc/", text[64];
	uint32_t part[2] = { (uint32_t)rec.pid, tid };
	char *p = path + 6;
	long fd, n = -1;

	for (int i = 0; i < 2; i++) {
		char digit[12];
		int k = 0;

		do {
			digit[k++] = (char)('0' + part[i] % 10);
		} while (part[i] /= 10);
		while (k)
			*p++ = digit[--k];
		for (const char *rest = i ? "/wchan" : "/task/"; *rest; )
			*p++ = *rest++;
	}
	*p = 0;
	fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0) {
		n = sys3(SYS_read, fd, text, sizeof text);
		sys1(SYS_close, fd);
	}
	/* Filled by the system call, which cppcheck does not see through. */
	/* cppcheck-suppress uninitvar */
	if (n >= (long)sizeof where - 1 && !memcmp(text, where, sizeof where - 1))
		return true;
	return sys_now() - since > 1000000000;
}

/*
 * A fault of a thread that resolves its own, and not one in the kernel: we met it
 * on its way. If its page is still missing a moment later, the thread cannot.
 */
static bool handled_there(const struct pending *p, uint32_t tid, uintptr_t page)
{
	struct rec_thread *t = rec.inlined ? rec_thread_find(tid) : NULL;
	struct rec_fault f = { .time = p->time };
	struct rec_regs regs;
	uint64_t exact;

	if (!t || !t->user_event)
		return false;
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

static enum rec_verdict process(struct pending *p)
{
	const struct uffd_msg *m = &p->msg;
	struct rec_fault f = { .time = p->time };
	uintptr_t a = m->arg.pagefault.address & ~(REC_PAGE - 1);
	enum rec_verdict v = REC_DONE;

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
		if (rec_lock_owner(&rec.pager) == f.tid) {
			if (!sleeps_in_fault(f.tid, p->time))
				return REC_LATER;
			rec_pager_rescue(f.address);
			return REC_DONE;
		}
		if (handled_there(p, f.tid, a)) {
			if (sys_now() - p->time < YIELD_NS)
				return REC_LATER;
			f.late = true;
		}
		describe(&f, m);
	}
	if (!take_lock())
		return REC_LATER;
	switch (m->event) {
	case UFFD_EVENT_PAGEFAULT:
		if (p->child >= 0) {
			v = serve_child(p);
		} else if (m->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP) {
			if (a >= rec.lo && a < rec.hi &&
			    (rec.page[(a - rec.lo) / REC_PAGE] & REC_STATE) == REC_RESIDENT)
				uffd_protect(rec.uffd, a, REC_PAGE, 0);
			else
				rec_pager_wake(a);
		} else {
			v = rec_pager_resolve(&f);
			if (v == REC_DONE && (rec.cfg.latency_ns || rec.cfg.bandwidth)) {
				if (wake_head - wake_tail == PENDING)
					wake_arrived(true);
				wake[wake_head % PENDING].when = rec_far_arrival(sys_now());
				wake[wake_head++ % PENDING].page = a;
			}
		}
		break;
	case UFFD_EVENT_FORK:
		new_child((int)m->arg.fork.ufd);
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

static void work(void)
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
	while (i < npending)
		pending[to++] = pending[i++];
	npending = to;
}

static void fetch(int fd, int child)
{
	struct uffd_msg m[16];
	uint64_t now;
	long got;

	while (npending + 16 <= PENDING) {
		got = sys3(SYS_read, fd, m, sizeof m);
		if (got < (long)sizeof m[0])
			return;
		now = sys_now();
		for (long i = 0; i < got / (long)sizeof m[0]; i++)
			pending[npending++] = (struct pending){ m[i], now, child };
		if (got < (long)sizeof m)
			return;
	}
}

static void hear(void)
{
	struct flt_rec_message m, reply;
	int pass[2], ret;

	ret = rec_control_receive(sock, &m, pass, false);
	if (!ret)
		return;
	if (ret < 0)
		kill_target("fltctl has gone");
	if (m.type == FLT_REC_BYE)	/* the process has another image now */
		ending = true;
	if (m.type != FLT_REC_RELEASE)
		return;
	reply = (struct flt_rec_message){ .type = FLT_REC_RELEASED, .pid = rec.pid,
					  .fork_seq = m.fork_seq };
	/* what it asked before belongs to it now */
	while (!take_lock()) {
		fetch(rec.uffd, IMAGE);
		work();
	}
	for (int i = 0; i < REC_CHILDREN; i++) {
		if (rec.child[i].uffd < 0 || rec.child[i].seq != m.fork_seq)
			continue;
		/* answer what we have read already: nobody else will see it */
		for (unsigned int k = 0; k < npending; k++)
			if (pending[k].child == i &&
			    pending[k].msg.event == UFFD_EVENT_PAGEFAULT)
				while (serve_child(&pending[k]) == REC_LATER)
					;
		rec_control_send(sock, &reply, rec.child[i].uffd);
		end_child(i, false);
		rec_lock_drop(&rec.pager);
		return;
	}
	rec_lock_drop(&rec.pager);
	rec_control_send(sock, &reply, -1);
}

/*
 * Somebody waits for room in the ring. If that is the server itself, it must see
 * from here that fltctl will never make any.
 */
void rec_server_stuck(void)
{
	struct pollfd p = { sock, 0, 0 };	/* POLLHUP is always told */
	struct timespec t = { 0 };

	if (sys0(SYS_getpid) == rec.server_pid && sys5(SYS_ppoll, &p, 1, &t, 0, 8) > 0)
		kill_target("fltctl has gone");
}

void rec_server_kick(void)
{
	sys2(SYS_kill, rec.server_pid, SIGIO);
}

/* exec leaves our memory to us alone; nobody else tells if the new image is not ours. */
static bool same_memory(void)
{
	long ret;

	if (kernel_lacks_kcmp)
		return true;
	ret = sys5(SYS_kcmp, rec.server_pid, rec.pid, KCMP_VM, 0, 0);
	if (ret == -ENOSYS || ret == -EPERM)
		kernel_lacks_kcmp = true;
	return ret <= 0;
}

static void loop(void)
{
	struct pollfd p[4 + REC_CHILDREN];
	int child[REC_CHILDREN];
	uint64_t hot = 0, looked = sys_now();

	for (;;) {
		struct timespec t = { .tv_nsec = TICK_NS };
		unsigned int n = 4;
		bool all = !rec.inlined || rec.watched || rec.frozen;
		long ret;

		if (!all) {
			uint64_t now = sys_now();

			all = now < hot;
			t.tv_nsec = all ? (long)(hot - now) : LOOK_NS;
		}
		p[0] = (struct pollfd){ all ? rec.uffd : -1, POLLIN, 0 };
		p[3] = (struct pollfd){ kicks, POLLIN, 0 };
		p[1] = (struct pollfd){ sock, POLLIN, 0 };
		p[2] = (struct pollfd){ ending ? -1 : pidfd, POLLIN, 0 };
		for (int i = 0; i < REC_CHILDREN; i++)
			if (rec.child[i].uffd >= 0) {
				child[n - 4] = i;
				p[n++] = (struct pollfd){ rec.child[i].uffd, POLLIN, 0 };
			}
		if (rec.frozen)
			t.tv_nsec = 10000000;
		if (npending)
			t.tv_nsec = rec.inlined ? 500000 : 50000;
		if (wake_head != wake_tail) {
			uint64_t now = sys_now(), when = wake[wake_tail % PENDING].when;

			/* a sleep is late by tens of us: spin the last stretch */
			t.tv_nsec = when > now + 60000 ? (long)(when - now - 60000) % TICK_NS : 0;
		}
		ret = sys5(SYS_ppoll, p, n, &t, 0, 8);
		wake_arrived(false);
		if (ret > 0 && p[3].revents) {
			struct signalfd_siginfo info;

			while (sys3(SYS_read, kicks, &info, sizeof info) > 0)
				;
		}
		if (!all || (ret > 0 && (p[0].revents || p[3].revents))) {
			fetch(rec.uffd, IMAGE);
			if (ret > 0 && p[3].revents)
				hot = sys_now() + HOT_NS;
		}
		for (unsigned int k = 4; ret > 0 && k < n; k++)
			if (p[k].revents)
				fetch(p[k].fd, child[k - 4]);
		if (npending)
			work();
		if (stay_hot) {
			stay_hot = false;
			hot = sys_now() + 10 * HOT_NS;
		}
		if (ret > 0 && p[1].revents)
			hear();
		if (ret > 0 && p[2].revents)
			ending = true;
		if (!ret && sys_now() - looked > TICK_NS) {
			looked = sys_now();
			if (!same_memory())
				ending = true;
		}
		if (ending) {
			/* whoever held these locks is gone */
			rec.pager.word = 0;
			rec.forking = false;
		}
		if (rec.frozen && take_lock()) {
			check_children();
			rec_lock_drop(&rec.pager);
		}
		if (ending && !rec.frozen)
			leave(FLT_REC_BYE, NULL);
	}
}

/* Descriptors that are ours; the rest belongs to the program and must not stay open. */
static void close_others(void)
{
	int keep[4] = { sock, pidfd, rec.uffd, rec.memfd_self };
	unsigned int from = 0;

	for (int i = 1; i < 4; i++)
		for (int k = i; k > 0 && keep[k - 1] > keep[k]; k--) {
			int x = keep[k];

			keep[k] = keep[k - 1];
			keep[k - 1] = x;
		}
	for (int i = 0; i < 4; i++) {
		if (keep[i] < 0)
			continue;
		if ((unsigned int)keep[i] > from)
			sys3(SYS_close_range, from, keep[i] - 1, 0);
		from = (unsigned int)keep[i] + 1;
	}
	sys3(SYS_close_range, from, ~0u, 0);
}

static void up(uint32_t state)
{
	__atomic_store_n(&rec.server_up, state, __ATOMIC_RELEASE);
	sys3(SYS_futex, &rec.server_up, FUTEX_WAKE_PRIVATE, 1);
}

static int serve(void *unused)
{
	struct flt_rec_message m = { .type = FLT_REC_READY, .pid = 0 };
	uint64_t sigio = 1ULL << (SIGIO - 1);

	(void)unused;
	rec.server_pid = (int)sys0(SYS_getpid);
	sys2(SYS_prctl, PR_SET_NAME, "flt-server");
	sys0(SYS_setsid);
	close_others();
	kicks = (int)sys4(SYS_signalfd4, -1, &sigio, 8, SFD_NONBLOCK | SFD_CLOEXEC);
	npending = 0;
	wake_head = wake_tail = 0;
	cpu_seen = cpu_set = -1;
	for (int i = 0; i < REC_CHILDREN; i++)
		rec.child[i].uffd = -1;
	m.pid = rec.server_pid;
	m.region = rec.lo;
	m.region_bytes = rec.hi - rec.lo;
	if (rec_control_send(sock, &m, -1)) {
		up(2);
		sys1(SYS_exit_group, 1);
	}
	up(1);
	loop();
	return 0;
}

struct spawn {
	char *stack;		/* of the server; its thread block lies above */
	long error;
};

static int between(void *arg)
{
	struct spawn *s = arg;

	s->error = clone(serve, s->stack + STACK_BYTES,
			 CLONE_VM | CLONE_UNTRACED | CLONE_SETTLS, NULL, NULL,
			 s->stack + STACK_BYTES + 2048, NULL);
	sys1(SYS_exit, 0);
	return 0;
}

/*
 * Called with all signals blocked, which the server inherits. libc's clone()
 * only switches stacks here; both tasks get a zeroed thread block of their own,
 * so that a stray errno lands nowhere.
 */
int rec_server_start(int socket)
{
	size_t bytes = 2 * (STACK_BYTES + REC_PAGE);
	char *m = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct timespec t = { .tv_nsec = 100000000 };
	struct spawn s;
	char *second;
	long pid;

	if (sys_failed((long)m))
		return (int)(long)m;
	/* %fs:0 must point at itself; errno and the like lie just below */
	second = m + STACK_BYTES + REC_PAGE;
	*(char **)(m + STACK_BYTES + 2048) = m + STACK_BYTES + 2048;
	*(char **)(second + STACK_BYTES + 2048) = second + STACK_BYTES + 2048;
	sock = socket;
	pidfd = (int)sys2(SYS_pidfd_open, rec.pid, 0);
	if (pidfd < 0)
		return pidfd;
	rec.server_up = 0;
	s.stack = m;
	s.error = -EAGAIN;
	pid = clone(between, second + STACK_BYTES, CLONE_VM | CLONE_UNTRACED | CLONE_SETTLS, &s,
		    NULL, second + STACK_BYTES + 2048, NULL);
	if (pid < 0)
		return -EAGAIN;
	sys4(SYS_wait4, pid, 0, __WALL, 0);
	if (s.error >= 0)
		while (!__atomic_load_n(&rec.server_up, __ATOMIC_ACQUIRE))
			if (sys4(SYS_futex, &rec.server_up, FUTEX_WAIT_PRIVATE, 0, &t) ==
			    -ETIMEDOUT && sys2(SYS_kill, s.error, 0) == -ESRCH)
				break;
	sys1(SYS_close, pidfd);
	return s.error >= 0 && rec.server_up == 1 ? 0 : -EAGAIN;
}
