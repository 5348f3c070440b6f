// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spawn.c - the fault server becomes a process.
 *
 * It shares the image's memory (so that it may move and drop pages) but not its
 * thread group, descriptors, signals or parent: it is seen by no wait() of the
 * program, holds none of its pipes open, and outlives its SIGKILL, abort, exec and
 * exit, long enough to see that nothing is left to serve. It is made by a process in
 * between that exits at once, so that it becomes fltctl's child. It runs on a stack
 * and a thread pointer of its own.
 */
#include "server.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define STACK_BYTES (256UL << 10)

static int sock, pidfd;

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

	(void)unused;
	rec.server_pid = (int)sys0(SYS_getpid);
	sys2(SYS_prctl, PR_SET_NAME, "flt-server");
	sys0(SYS_setsid);
	close_others();
	rec_inbox_reset();
	rec_child_reset();
	rec_far_reset();
	m.pid = rec.server_pid;
	m.region = rec.lo;
	m.region_bytes = rec.hi - rec.lo;
	if (rec_control_send(sock, &m, -1)) {
		up(2);
		sys1(SYS_exit_group, 1);
	}
	up(1);
	rec_server_run(sock, pidfd);
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
