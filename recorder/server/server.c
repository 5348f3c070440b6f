// SPDX-License-Identifier: GPL-2.0-or-later
/* server.c - the main loop of the server, which spawn.c starts. */
#include "server.h"

#include "fork_child.h"
#include "image/clock.h"
#include "image/descriptor.h"
#include "image/image.h"
#include "image/socket.h"
#include "inbox.h"
#include "pager/grant.h"
#include "pager/link.h"
#include "region/freeze.h"
#include "region/region.h"
#include "region/shadow.h"
#include "schedule.h"
#include "service.h"
#include "thread/thread.h"
#include "trace/writer.h"
#include "unwind/backtrace.h"
#include "unwind/probe.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/uio.h>

#define TICK_NS   500000000L
#define FREEZE_NS  10000000L
#define LOOK_NS    10000000L	/* path A: interval of checks for faults whose signal is blocked */
#define HOT_NS      3000000L	/* path A: how long to watch after a fault in the kernel */

#define FAULTS_AT_ONCE 64u	/* before the server looks at other descriptors */

/* Descriptors to wait for. Those of forked children follow. */
enum { IMAGE, SOCKET, PROCESS, WAKEUP, CHILDREN };

struct wait {
	struct pollfd fd[CHILDREN + REC_FORK_CHILDREN];
	uint32_t child[REC_FORK_CHILDREN];
	unsigned int children;
	bool all;		/* watch the image's userfaultfd */
	struct timespec timeout;
};

static int sock, pidfd, wakeups;
static bool kernel_lacks_kcmp;
static bool ending;		/* the image has ended; its children may still need the server */
static bool unread;		/* messages wait for the pager lock: watch no descriptor of them */
static uint64_t hot;		/* path A: watch the userfaultfd until then */

/* Send the last message and exit. fltctl hangs up when it has read everything. */
static void leave(int type, const char *text)
{
	struct flt_rec_message m = { .type = (uint32_t)type, .pid = rec_image.pid };
	int pass[2];

	rec_fork_child_release_all();
	if (text)
		strncpy(m.text, text, sizeof(m.text) - 1);
	if (!rec_socket_send(sock, &m, -1))
		while (rec_socket_receive(sock, &m, pass, true) == 1)
			;
	sys1(SYS_exit_group, 0);
}

static void kill_image(const char *why)
{
	sys4(SYS_pidfd_send_signal, pidfd, SIGKILL, 0, 0);
	leave(FLT_REC_FATAL, why);
}

/* Hand a forked child over to its own server. */
static void release_child(uint64_t fork_seq)
{
	struct flt_rec_message reply = {
		.type = FLT_REC_RELEASED, .pid = rec_image.pid, .fork_seq = fork_seq,
	};
	uint32_t child;

	/* The child may be faster than the message of its fork. */
	while (rec_inbox_has_fork() ||
	       !rec_lock_try_briefly(&rec_pager_lock, (uint32_t)rec_image.server_pid)) {
		rec_inbox_fetch(rec_region.uffd, REC_IMAGE);
		rec_inbox_answer();
	}
	child = rec_fork_child_of(fork_seq);
	if (child)
		rec_inbox_answer_child(child);
	rec_socket_send(sock, &reply, rec_fork_child_uffd(child));
	rec_fork_child_end(child);
	rec_lock_release(&rec_pager_lock);
}

static void receive(void)
{
	struct flt_rec_message m;
	int pass[2], ret;

	ret = rec_socket_receive(sock, &m, pass, false);
	if (ret < 0)
		kill_image("fltctl died");
	if (ret <= 0)
		return;
	if (m.type == FLT_REC_BYE)	/* the process has another image now */
		ending = true;
	if (m.type == FLT_REC_RELEASE)
		release_child(m.fork_seq);
}

/*
 * Kill the image if fltctl is gone, because nobody will drain the full ring. Called while the
 * ring is full, by threads as well, but only the server checks.
 */
static void check_fltctl(void)
{
	struct pollfd p = { sock, 0, 0 };	/* poll always reports POLLHUP */
	struct timespec t = { 0 };

	if (sys0(SYS_getpid) == rec_image.server_pid && sys5(SYS_ppoll, &p, 1, &t, 0, 8) > 0)
		kill_image("fltctl died");
}

/*
 * The main thread may end before other threads, and has no memory then. mm_access() gives ESRCH
 * for that alone, before it checks rights.
 */
static bool main_thread_has_ended(void)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { &byte, 1 };

	return sys6(SYS_process_vm_readv, rec_image.pid, (long)&to, 1, (long)&from, 1, 0) == -ESRCH;
}

/*
 * Return true if the image still has the server's memory. After an exec the server alone has
 * the old memory, and fltctl sends a message only if the new image is recorded.
 */
static bool is_memory_shared(void)
{
	long ret;

	if (kernel_lacks_kcmp)
		return true;
	ret = sys5(SYS_kcmp, rec_image.server_pid, rec_image.pid, KCMP_VM, 0, 0);
	if (ret == -ENOSYS || ret == -EPERM)
		kernel_lacks_kcmp = true;
	return ret <= 0 || main_thread_has_ended();
}

static void shorten(struct wait *w, long ns)
{
	if (ns >= 0 && ns < w->timeout.tv_nsec)
		w->timeout.tv_nsec = ns;
}

static void prepare_wait(struct wait *w)
{
	uint64_t now;

	w->timeout = (struct timespec){ .tv_nsec = TICK_NS };
	w->children = rec_fork_child_list(w->child);
	rec_schedule_choose(ending || rec_shadow.frozen || w->children || rec_inbox_count());
	w->all = !rec_threads.inlined || !rec_threads.begun || rec_threads.watched ||
		 rec_shadow.frozen;
	if (!w->all) {
		now = rec_now();
		w->all = now < hot;
		w->timeout.tv_nsec = w->all ? (long)(hot - now) : LOOK_NS;
	}
	w->all &= !unread;
	w->fd[IMAGE] = (struct pollfd){ w->all ? rec_region.uffd : -1, POLLIN, 0 };
	w->fd[SOCKET] = (struct pollfd){ sock, POLLIN, 0 };
	w->fd[PROCESS] = (struct pollfd){ ending ? -1 : pidfd, POLLIN, 0 };
	w->fd[WAKEUP] = (struct pollfd){ wakeups, POLLIN, 0 };
	for (unsigned int i = 0; i < w->children; i++)
		w->fd[CHILDREN + i] =
			(struct pollfd){ rec_fork_child_uffd(w->child[i]), POLLIN, 0 };
	if (rec_shadow.frozen)
		w->timeout.tv_nsec = FREEZE_NS;
	if (rec_inbox_count())
		w->timeout.tv_nsec = w->all ? 50000 : 500000;
	if (unread)
		shorten(w, 50000);
	shorten(w, rec_link_next());
}

/* Read all descriptors that are ready and answer faults. */
static void serve(const struct wait *w)
{
	struct signalfd_siginfo info;
	bool woken = w->fd[WAKEUP].revents;

	if (woken)
		while (sys3(SYS_read, wakeups, &info, sizeof(info)) > 0)
			;
	if (!w->all || w->fd[IMAGE].revents || woken)
		unread = !rec_inbox_fetch(rec_region.uffd, REC_IMAGE);
	if (woken)
		hot = rec_now() + HOT_NS;
	for (unsigned int i = 0; i < w->children; i++)
		if (w->fd[CHILDREN + i].revents)
			rec_inbox_fetch(w->fd[CHILDREN + i].fd, w->child[i]);
	if (rec_inbox_count())
		rec_inbox_answer();
	if (rec_service_take_unreported())
		hot = rec_now() + 10 * HOT_NS;
	if (w->fd[SOCKET].revents)
		receive();
	if (w->fd[PROCESS].revents)
		ending = true;
}

/*
 * Serve the next fault of the program's only thread, if the server runs only while that sleeps. So
 * it sleeps, most likely in a fault. Return false if it is time to look at the other descriptors.
 */
static bool serve_next(void)
{
	static unsigned int faults;

	if (!rec_schedule_is_idle() || rec_link_is_modelled() || ++faults % FAULTS_AT_ONCE == 0)
		return false;
	unread = !rec_inbox_fetch(rec_region.uffd, REC_IMAGE);
	if (!rec_inbox_count())
		return false;
	rec_inbox_answer();
	return true;
}

static void refresh_grants(void)
{
	if (!rec_lock_try_briefly(&rec_pager_lock, (uint32_t)rec_image.server_pid))
		return;
	rec_grant_refresh();
	rec_lock_release(&rec_pager_lock);
}

static void check_end(void)
{
	if (ending) {
		/* The threads that held the locks, or were forking, do not exist any more. */
		rec_pager_lock.word = 0;
		rec_backtrace_reset();
		rec_freeze.forking = 0;
	}
	if (rec_shadow.frozen &&
	    rec_lock_try_briefly(&rec_pager_lock, (uint32_t)rec_image.server_pid)) {
		rec_fork_child_check(rec_inbox_has_fork());
		rec_lock_release(&rec_pager_lock);
	}
	if (ending && !rec_shadow.frozen) {
		rec_grant_end();
		rec_writer_finish();
		leave(FLT_REC_BYE, NULL);
	}
}

void rec_server_run(int s, int target)
{
	uint64_t looked = rec_now(), sigio = 1ULL << (SIGIO - 1);
	struct wait w;
	long ready;

	sock = s;
	pidfd = target;
	wakeups = (int)sys4(SYS_signalfd4, -1, &sigio, 8, SFD_NONBLOCK | SFD_CLOEXEC);
	ending = false;
	hot = 0;
	rec_writer_on_full(check_fltctl);
	rec_probe_install();
	for (;;) {
		rec_descriptor_answer();
		if (serve_next())
			continue;
		prepare_wait(&w);
		ready = sys5(SYS_ppoll, w.fd, CHILDREN + w.children, &w.timeout, 0, 8);
		rec_link_wake_due(false);
		if (ready <= 0)
			for (unsigned int i = 0; i < CHILDREN + w.children; i++)
				w.fd[i].revents = 0;
		serve(&w);
		if (rec_now() - looked > TICK_NS) {
			looked = rec_now();
			refresh_grants();
			if (!ready && !is_memory_shared())
				ending = true;
		}
		check_end();
	}
}
