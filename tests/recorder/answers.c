// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * answers.c - the fault server answers each fault, or wakes its thread.
 *
 * This program is image and server in one: it has the recorder's objects, and calls the functions
 * of the server for a small region. The kernel does the rest: userfaultfd, forks, faults. The file
 * in fdinfo tells how many threads wait in a fault, and how many of these the server has not read.
 */
#include "image/clock.h"
#include "image/image.h"
#include "lib/core/uffd.h"
#include "region/extent.h"
#include "region/freeze.h"
#include "region/region.h"
#include "region/shadow.h"
#include "server/fork_child.h"
#include "server/inbox.h"
#include "server/schedule.h"
#include "server/service.h"
#include "thread/solo.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 16u
#define BYTES (PAGES * FLT_PAGE)

static struct flt_ring_totals totals;
static uint64_t connected[FLT_RING_FORKS];
static int failed;

static void check(const char *what, bool right)
{
	printf("%s %s\n", right ? "ok" : "not ok", what);
	failed |= !right;
}

static void begin(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_EVENT_FORK |
							       UFFD_FEATURE_THREAD_ID };
	uintptr_t base = (uintptr_t)mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = (int)sys1(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || sys3(SYS_ioctl, fd, UFFDIO_API, &api) ||
	    uffd_register(fd, base, 2 * BYTES, UFFDIO_REGISTER_MODE_MISSING) ||
	    flt_region_create(&rec_region, base, PAGES) || rec_extent_init(PAGES - 1)) {
		printf("not ok userfaultfd\n");
		exit(1);
	}
	rec_region.uffd = fd;
	rec_shadow.distance = BYTES;
	rec_freeze.barrier = rec_page_address(PAGES - 1);
	/* Not registered, as after mlockall(). */
	rec_freeze.mark = (uintptr_t)connected & ~(FLT_PAGE - 1);
	rec_image.pid = rec_image.server_pid = getpid();
	rec_image.totals = &totals;
	rec_image.connected = connected;
	rec_inbox_reset();
	rec_fork_child_reset();
	rec_extent_take(PAGES - 1, 1);
	for (size_t i = 0; i < PAGES; i++)
		rec_page_reset(i, PAGE_EMPTY);
}

/* Return true if a thread waits in a fault whose message was read. One read() gives both numbers. */
static bool waits_for_answer(int uffd)
{
	unsigned long pending = 0, total = 0;
	char path[64], text[512] = "", *at;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", uffd);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		exit(2);
	close(fd);
	at = strstr(text, "pending:");
	if (!at || sscanf(at, "pending: %lu total: %lu", &pending, &total) != 2)
		exit(2);
	return total > pending;
}

static void await_message(int uffd)
{
	struct pollfd p = { uffd, POLLIN, 0 };

	poll(&p, 1, -1);
}

struct access {
	uintptr_t at;
	bool locks;		/* as owner of the pager lock */
	bool done;
};

static void *load(void *arg)
{
	struct access *a = arg;
	uint32_t tid = (uint32_t)sys0(SYS_gettid);

	if (a->locks)
		rec_lock_take(&rec_pager_lock, tid);
	*(volatile char *)a->at;
	if (a->locks)
		rec_lock_release(&rec_pager_lock);
	__atomic_store_n(&a->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Serve a load until it is done. Return false if nobody will wake its thread any more. */
static bool serve_load(struct access *a)
{
	pthread_t t;

	pthread_create(&t, NULL, load, a);
	while (!__atomic_load_n(&a->done, __ATOMIC_ACQUIRE)) {
		rec_inbox_fetch(rec_region.uffd, REC_IMAGE);
		rec_inbox_answer();
		if (!rec_inbox_count() && waits_for_answer(rec_region.uffd))
			return false;
	}
	pthread_join(t, NULL);
	return true;
}

/* The shadow is registered like the region. A program finds it in /proc/self/maps. */
static void test_shadow(void)
{
	struct access own = { .at = rec_region_end() + 2 * FLT_PAGE, .locks = true };
	struct access other = { .at = rec_region_end() + 3 * FLT_PAGE };

	check("a load from the shadow by the owner of the lock ends", serve_load(&own));
	check("a load from the shadow ends", serve_load(&other));
}

/* A thread with its stack in the region may fault on it while it holds the lock. */
static void test_rescue(void)
{
	struct access own = { .at = rec_page_address(8), .locks = true };

	check("a load by the owner of the lock ends", serve_load(&own));
	check("it is counted", totals.rescued == 1 && totals.resident == 1);
}

struct shared {
	bool go;
};

static void *fork_alone(void *arg)
{
	pid_t pid;

	while (!__atomic_load_n((bool *)arg, __ATOMIC_ACQUIRE))
		usleep(1000);
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return NULL;
}

/* Load a page, and fork meanwhile. */
static void be_child(bool *go)
{
	struct access a = { .at = rec_page_address(3) };
	pthread_t load_thread, fork_thread;

	pthread_create(&load_thread, NULL, load, &a);
	pthread_create(&fork_thread, NULL, fork_alone, go);
	pthread_join(load_thread, NULL);
	pthread_join(fork_thread, NULL);
	_exit(*(char *)a.at ? 1 : 0);
}

static void *fork_child(void *go)
{
	static pid_t pid;

	pid = fork();
	if (!pid)
		be_child(go);
	return &pid;
}

/*
 * The kernel fills no page of a child whose fork nobody has read. The server hands such a child
 * over all the same, and its next server gets the fault.
 */
static void test_handing_over(void)
{
	bool *go = mmap(NULL, FLT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1, uffd;
	pthread_t t;
	uint32_t id;
	void *pid;

	rec_shadow.frozen = true;
	rec_freeze.fork_seq = 1;
	pthread_create(&t, NULL, fork_child, go);
	await_message(rec_region.uffd);
	rec_inbox_fetch(rec_region.uffd, REC_IMAGE);
	pthread_join(t, &pid);
	id = rec_fork_child_of(1);
	uffd = rec_fork_child_uffd(id);
	await_message(uffd);
	rec_inbox_fetch(uffd, id);
	check("the fault of the child was read", rec_inbox_count() == 1);
	__atomic_store_n(go, true, __ATOMIC_RELEASE);
	await_message(uffd);
	rec_inbox_answer_child(id);
	check("a fault that the kernel refuses to fill is raised again", !waits_for_answer(uffd));
	rec_inbox_reset();
	while (waitpid(*(pid_t *)pid, &status, WNOHANG) == 0) {
		rec_inbox_fetch(uffd, id);
		rec_inbox_answer();
	}
	check("the child goes on", status == 0);
}

static bool armed;

static bool arm_path_a(struct rec_thread *t)
{
	(void)t;
	armed = true;
	return true;
}

static void disarm_path_a(struct rec_thread *t)
{
	(void)t;
	armed = false;
}

static bool is_idle(void)
{
	return sched_getscheduler(0) == SCHED_IDLE;
}

/* A server that never tries again lets the alarm end this program. */
static void await_idle_server(void)
{
	for (rec_schedule_choose(false); !is_idle(); rec_schedule_choose(false))
		usleep(10000);
}

/* Who serves the only thread of a program, and the policy of the server. */
static void test_solo(void)
{
	struct rec_thread *t = rec_thread_add(7);
	const uint64_t began = rec_now();

	rec_solo_prepare(arm_path_a, disarm_path_a);
	rec_threads.inlined = true;
	armed = true;
	rec_solo_begin(t);
	rec_schedule_reset();
	await_idle_server();
	check("the server of one thread is a task of SCHED_IDLE", !armed && rec_solo_is_served());
	check("the thread served itself for 10 ms", rec_now() - began >= 10000000);
	rec_schedule_choose(true);
	check("the server of a fork is a normal task", !is_idle() && rec_solo_is_served());
	rec_schedule_choose(false);
	check("afterwards it is idle again", is_idle() && !armed);
	for (int i = 0; i < 5000; i++)
		rec_schedule_note(10000);
	rec_schedule_choose(false);
	check("fast faults change nothing", is_idle() && rec_solo_is_served());
	for (int i = 0; i < 1024; i++)
		rec_schedule_note(20000);
	rec_schedule_choose(false);
	check("after slow faults the thread serves itself", !is_idle() && armed &&
							    rec_solo_is_armed());
	await_idle_server();
	check("later the server tries again", !armed);
	rec_schedule_note(100000000);
	rec_schedule_choose(false);
	check("one fault that is slow enough ends that", !is_idle() && armed);
	await_idle_server();
	rec_threads.watched++;
	rec_schedule_choose(false);
	check("beside a thread that libc does not know the thread serves itself",
	      !is_idle() && armed);
	rec_threads.watched--;
	rec_schedule_choose(false);
	rec_solo_end();
	rec_schedule_choose(false);
	check("a thread that expects another serves itself", !is_idle() && armed &&
							     !rec_solo_is_armed());
	rec_thread_remove(t);
	rec_thread_reset();
	rec_threads.inlined = false;
}

static bool short_of_memory;

/* Answer the calls that copy pages: the kernel has no memory, or does them. */
static void *answer_copies(void *listener)
{
	for (;;) {
		struct seccomp_notif asked = { 0 };
		struct seccomp_notif_resp reply = { 0 };

		if (sys3(SYS_ioctl, *(int *)listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
			continue;
		reply.id = asked.id;
		if (__atomic_load_n(&short_of_memory, __ATOMIC_ACQUIRE))
			reply.error = -ENOMEM;
		else
			reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		sys3(SYS_ioctl, *(int *)listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
	}
	return NULL;
}

/* Let another thread answer when this one copies pages. Return false if that is impossible. */
static bool watch_copies(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)UFFDIO_COPY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
	static int listener;
	pthread_t t;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return false;
	listener = (int)sys3(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			     SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	return listener >= 0 && !pthread_create(&t, NULL, answer_copies, &listener);
}

#define LATE 5	/* the page that was evicted before a fork */

static void *fork_reader(void *go)
{
	static pid_t pid;

	/* A fork holds locks of libc until its message is read. */
	while (!__atomic_load_n((bool *)go, __ATOMIC_ACQUIRE))
		usleep(1000);
	pid = fork();
	if (!pid) {
		const char content = *(volatile char *)rec_page_address(LATE);

		/* A child that ends before the server looks at it would not be let go. */
		kill(getpid(), SIGSTOP);
		_exit(content == 7 ? 0 : 1);
	}
	return &pid;
}

/* Serve a child that nobody hands over, while the kernel has no memory for its pages. */
static void *serve_without_memory(void *unused)
{
	/* An earlier test counts the fork of its child if it reads that before the child ends. */
	const uint64_t counted = totals.forks_unlimited;
	uint32_t id[REC_FORK_CHILDREN];
	bool go = false;
	int status = -1;
	pthread_t t;
	void *pid;

	rec_shadow.frozen = rec_freeze.raw = true;
	/* The thread that forks has no filter. */
	pthread_create(&t, NULL, fork_reader, &go);
	if (!watch_copies())
		exit(2);
	__atomic_store_n(&short_of_memory, true, __ATOMIC_RELEASE);
	__atomic_store_n(&go, true, __ATOMIC_RELEASE);
	await_message(rec_region.uffd);
	rec_inbox_fetch(rec_region.uffd, REC_IMAGE);
	pthread_join(t, &pid);
	check("a child waits for memory", rec_fork_child_list(id) == 1);
	if (rec_fork_child_list(id)) {
		await_message(rec_fork_child_uffd(id[0]));
		rec_inbox_fetch(rec_fork_child_uffd(id[0]), id[0]);
		rec_inbox_answer();
		rec_fork_child_check(false);
		check("and so does its fault", rec_inbox_count() == 1);
		check("the shadow stays", rec_shadow.frozen && rec_fork_child_list(id) == 1);
	}
	__atomic_store_n(&short_of_memory, false, __ATOMIC_RELEASE);
	rec_inbox_answer();
	rec_fork_child_check(false);
	check("with memory the child has all pages", !rec_fork_child_list(id));
	check("it is counted once", totals.forks_unlimited == counted + 1);
	check("and goes on", waitpid(*(pid_t *)pid, &status, WUNTRACED) > 0 && WIFSTOPPED(status));
	kill(*(pid_t *)pid, SIGCONT);
	check("to its end", waitpid(*(pid_t *)pid, &status, 0) > 0 && status == 0);
	return unused;
}

static void test_no_memory(void)
{
	static char content[FLT_PAGE_MAX] __attribute__((aligned(FLT_PAGE_MAX))) = { 7 };
	pthread_t t;

	if (uffd_copy(rec_region.uffd, rec_page_address(LATE) + BYTES, (uintptr_t)content, FLT_PAGE,
		      0))
		exit(2);
	rec_page_reset(LATE, PAGE_EVICTED);
	rec_fork_child_reset();
	pthread_create(&t, NULL, serve_without_memory, NULL);
	pthread_join(t, NULL);
}

int main(void)
{
	alarm(60);
	setvbuf(stdout, NULL, _IOLBF, 0);
	begin();
	test_handing_over();
	rec_shadow.frozen = false;
	test_shadow();
	test_solo();
	test_rescue();
	test_no_memory();
	return failed;
}
