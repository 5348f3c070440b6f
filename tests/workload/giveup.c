// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * giveup N - N faults that a signal interrupts, and after each a fault of the same thread
 * at the same address in the memory of another process.
 *
 * A thread writes to a page of a userfaultfd range and sleeps in the fault. A signal ends
 * the sleep: handle_mm_fault() returns VM_FAULT_RETRY, and the kernel gives up the fault
 * for the handler. The handler first reads that address of a child with
 * process_vm_readv(), which is a fault of its own, and then provides the page. So each
 * round has one call that returns RETRY and one minor fault, with one attempt.
 */
#include "region.h"
#include "section.h"
#include "uffd.h"

#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int uffd;
static pid_t child;
static pthread_t writer;
static char *volatile there;

static void on_signal(int sig)
{
	static char buf[8] = { 1 };
	struct iovec local = { buf, sizeof(buf) }, remote = { there, sizeof(buf) };

	(void)sig;
	if (process_vm_readv(child, &local, 1, &remote, 1, 0) != sizeof(buf))
		_exit(3);
	uffd_copy(uffd, (unsigned long)there);
}

static void *interrupt(void *unused)
{
	(void)unused;
	for (;;) {
		uffd_next(uffd, -1);
		/* The message is sent before the thread sleeps. */
		usleep(20000);
		pthread_kill(writer, SIGUSR1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	size_t n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_t t;
	char *p;

	if (!n)
		errx(2, "usage: giveup N");
	p = region_anon((n + 1) * PAGE);
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	writer = pthread_self();
	uffd = uffd_open(p, (n + 1) * PAGE, UFFD_MISSING);
	sigaction(SIGUSR1, &sa, NULL);
	if (child < 0 || pthread_create(&t, NULL, interrupt, NULL))
		err(1, "fork or pthread_create");
	/* The first round maps the code of the handler. */
	there = p + n * PAGE;
	region_write(there, 1, PAGE);
	section_begin();
	for (size_t i = 0; i < n; i++) {
		there = p + i * PAGE;
		region_write(there, 1, PAGE);
	}
	section_end("giveup", (long)n, 0, (long)n);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}
