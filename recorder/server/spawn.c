// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spawn.c - start the fault server as a process.
 *
 * The server shares the image's memory, so that it may move and drop pages. It does not share
 * thread group, descriptors, signals and parent: no wait() of the program sees it, and it
 * holds none of the program's pipes open. It outlives SIGKILL, abort, exec and exit of the
 * image long enough to see that nothing is left to serve. An intermediate process makes it and
 * exits at once, so the server becomes a child of fltctl. Only an image that adopts orphans makes
 * its server itself: as a child that sends no signal, wait() without __WALL does not see it. The
 * server runs on its own stack and thread pointer.
 */
#include "spawn.h"

#include "arch/thread_block.h"
#include "fork_child.h"
#include "image/image.h"
#include "image/socket.h"
#include "inbox.h"
#include "pager/link.h"
#include "recent.h"
#include "region/region.h"
#include "schedule.h"
#include "server.h"
#include "thread/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#define STACK_BYTES (256UL << 10)
/* A stack, and above it a page for the thread block. */
#define TASK_BYTES  (STACK_BYTES + FLT_PAGE)

/* clone() of libc; hook/clone.c replaces that name. */
int __clone(int (*run)(void *), void *stack, int flags, void *arg, ...);

enum { STARTING, RUNNING, FAILED };
static uint32_t state;		/* futex */

static int sock, pidfd;

/* Close the descriptors of the program, which must not stay open in the server. */
static void close_others(void)
{
	int keep[] = { sock, pidfd, rec_region.uffd, rec_region.memory, rec_threads.filter };
	const int n = sizeof(keep) / sizeof(keep[0]);
	unsigned int from = 0;

	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && keep[k - 1] > keep[k]; k--) {
			int x = keep[k];

			keep[k] = keep[k - 1];
			keep[k - 1] = x;
		}
	for (int i = 0; i < n; i++) {
		if (keep[i] < 0)
			continue;
		if ((unsigned int)keep[i] > from)
			sys3(SYS_close_range, from, keep[i] - 1, 0);
		from = (unsigned int)keep[i] + 1;
	}
	sys3(SYS_close_range, from, ~0u, 0);
}

static void announce(uint32_t new)
{
	__atomic_store_n(&state, new, __ATOMIC_RELEASE);
	sys3(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1);
}

static int serve(void *unused)
{
	struct flt_rec_message m = { .type = FLT_REC_READY };

	(void)unused;
	rec_image.server_pid = (int)sys0(SYS_getpid);
	sys2(SYS_prctl, PR_SET_NAME, "flt-server");
	sys0(SYS_setsid);
	/* The program's directory may be unmounted. */
	sys1(SYS_chdir, "/");
	close_others();
	rec_inbox_reset();
	rec_schedule_reset();
	rec_fork_child_reset();
	rec_link_reset();
	m.pid = rec_image.server_pid;
	m.region = rec_region.base;
	m.region_bytes = rec_region.count * FLT_PAGE;
	if (rec_socket_send(sock, &m, -1)) {
		announce(FAILED);
		sys1(SYS_exit_group, 1);
	}
	announce(RUNNING);
	rec_server_run(sock, pidfd);
}

struct spawn {
	char *server;		/* stack and thread block of the server */
	long pid;		/* of the server, or -1 */
};

/*
 * clone() of libc only switches stacks here. Each task gets a zeroed thread block, so that
 * libc functions may set errno.
 */
static long make_task(int (*run)(void *), char *task, void *arg)
{
	char *top = task + STACK_BYTES;

	return __clone(run, top, CLONE_VM | CLONE_UNTRACED | CLONE_SETTLS, arg, (void *)0,
		       rec_thread_block(task, top), (void *)0);
}

static int make_server(void *arg)
{
	struct spawn *s = arg;

	s->pid = make_task(serve, s->server, NULL);
	sys1(SYS_exit, 0);
	return 0;
}

/* Wait until the server runs. Return false if it failed or died. */
static bool wait_for_server(long pid)
{
	struct timespec t = { .tv_nsec = 100000000 };

	while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == STARTING)
		/* If the server is our child, a dead one waits for us. */
		if (sys4(SYS_futex, &state, FUTEX_WAIT_PRIVATE, STARTING, &t) == -ETIMEDOUT &&
		    (sys4(SYS_wait4, pid, 0, WNOHANG | __WALL, 0) == pid ||
		     sys2(SYS_kill, pid, 0) == -ESRCH))
			break;
	return state == RUNNING;
}

/* Return true if this process is the init of a PID namespace or a subreaper. */
static bool adopts_orphans(void)
{
	int is_subreaper = 0;

	sys2(SYS_prctl, PR_GET_CHILD_SUBREAPER, &is_subreaper);
	return is_subreaper || rec_image.pid == 1;
}

bool rec_spawn_is_outside(void)
{
	char own[64], next[64];
	long n = sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/pid", own, sizeof(own));
	long m = sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/pid_for_children", next,
		      sizeof(next));

	/* The second link is empty before the namespace has its first process. */
	return n > 0 && (m != n || memcmp(own, next, (size_t)n));
}

int rec_spawn_server(int socket)
{
	char *m = sys_mmap(NULL, 2 * TASK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct spawn s = { m, -EAGAIN };
	bool runs;
	long pid;

	if (sys_failed((long)m))
		return (int)(long)m;
	sock = socket;
	pidfd = (int)sys2(SYS_pidfd_open, rec_image.pid, 0);
	if (pidfd < 0)
		return pidfd;
	state = STARTING;
	if (adopts_orphans()) {
		s.pid = make_task(serve, s.server, NULL);
	} else {
		pid = make_task(make_server, m + TASK_BYTES, &s);
		if (pid >= 0)
			sys4(SYS_wait4, pid, 0, __WALL, 0);
	}
	runs = s.pid >= 0 && wait_for_server(s.pid);
	sys1(SYS_close, pidfd);
	return runs ? 0 : -EAGAIN;
}
