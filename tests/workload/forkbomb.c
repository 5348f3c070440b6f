// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forkbomb - fork in every process, until the program is killed.
 *
 * A process that cannot fork exits and makes room for another one, so the number of processes
 * stays at the limit (RLIMIT_NPROC, pids.max), and each process is new. The first process
 * never exits. Run the program in a control group, and kill it by cgroup.kill.
 */
#include <err.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "page.h"

int main(void)
{
	volatile char *page = sbrk((intptr_t)PAGE);
	pid_t first = getpid();

	/* No process becomes a zombie. */
	if (page == (char *)-1 || signal(SIGCHLD, SIG_IGN) == SIG_ERR)
		err(1, "cannot start");
	for (;;) {
		if (fork() < 0 && getpid() != first)
			_exit(0);
		*page = 1;
	}
}
