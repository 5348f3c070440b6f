// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * server.c - the fault server of one image: what it waits for, and when it ends.
 * How it came to be is in spawn.c.
 */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#define TICK_NS 500000000L
#define LOOK_NS 10000000L	/* path A: for faults whose signal was blocked */
#define HOT_NS   3000000L	/* path A: how long to go on looking after one in the kernel */

static int sock, pidfd, kicks;
static bool kernel_lacks_kcmp;
static bool ending;		/* the image is over; its children may still need us */

/* The last word; fltctl hangs up when it has read all that it wants of us. */
static void leave(int type, const char *text)
{
	struct flt_rec_message m = { .type = (uint32_t)type, .pid = rec.pid };
	int pass[2];

	/* children not yet on their own lose their parent's server now */
	rec_child_release_all();
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

bool rec_server_try_pager(void)
{
	for (int spin = 0; spin < 200; spin++) {
		if (rec_lock_try(&rec.pager, (uint32_t)rec.server_pid))
			return true;
		__builtin_ia32_pause();
	}
	return false;
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
	/* the child may have come here before its descriptor was taken out of the inbox */
	while (rec_inbox_holds_fork() || !rec_server_try_pager()) {
		rec_inbox_fetch(rec.uffd, REC_FROM_IMAGE);
		rec_inbox_work();
	}
	for (int i = 0; i < REC_CHILDREN; i++) {
		if (rec.child[i].uffd < 0 || rec.child[i].seq != m.fork_seq)
			continue;
		rec_inbox_answer_child(i);
		rec_control_send(sock, &reply, rec.child[i].uffd);
		rec_child_end(i, false);
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

void rec_server_run(int s, int target)
{
	struct pollfd p[4 + REC_CHILDREN];
	int child[REC_CHILDREN];
	uint64_t hot = 0, looked = sys_now(), sigio = 1ULL << (SIGIO - 1);

	sock = s;
	pidfd = target;
	kicks = (int)sys4(SYS_signalfd4, -1, &sigio, 8, SFD_NONBLOCK | SFD_CLOEXEC);
	ending = false;
	rec_probe_install();
	for (;;) {
		struct timespec t = { .tv_nsec = TICK_NS };
		unsigned int n = 4;
		bool all = !rec.inlined || rec.watched || rec.frozen;
		long ret, far;

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
		if (rec_inbox_count())
			t.tv_nsec = rec.inlined ? 500000 : 50000;
		far = rec_far_next();
		if (far >= 0 && far < t.tv_nsec)
			t.tv_nsec = far;
		ret = sys5(SYS_ppoll, p, n, &t, 0, 8);
		rec_far_wake_due(false);
		if (ret > 0 && p[3].revents) {
			struct signalfd_siginfo info;

			while (sys3(SYS_read, kicks, &info, sizeof info) > 0)
				;
		}
		if (!all || (ret > 0 && (p[0].revents || p[3].revents))) {
			rec_inbox_fetch(rec.uffd, REC_FROM_IMAGE);
			if (ret > 0 && p[3].revents)
				hot = sys_now() + HOT_NS;
		}
		for (unsigned int k = 4; ret > 0 && k < n; k++)
			if (p[k].revents)
				rec_inbox_fetch(p[k].fd, child[k - 4]);
		if (rec_inbox_count())
			rec_inbox_work();
		if (rec_inbox_wants_more())
			hot = sys_now() + 10 * HOT_NS;
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
			rec.forking = 0;
		}
		if (rec.frozen && rec_server_try_pager()) {
			rec_child_look();
			rec_lock_drop(&rec.pager);
		}
		if (ending && !rec.frozen) {
			rec_ring_finish();
			leave(FLT_REC_BYE, NULL);
		}
	}
}
