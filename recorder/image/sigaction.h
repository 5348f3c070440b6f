/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sigaction.h - signal handlers without libc, also for the signals that libc reserves. */
#ifndef FLT_REC_SIGACTION_H
#define FLT_REC_SIGACTION_H

#include <signal.h>
#include <stdint.h>

typedef void rec_handler(int sig, siginfo_t *info, void *context);

/* The kernel's struct sigaction. */
struct rec_sigaction {
	rec_handler *handler;
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* Install a handler that runs with all signals blocked. flags: SA_* besides SA_SIGINFO. */
void rec_sigaction_set(int sig, rec_handler *handler, unsigned long flags);
struct rec_sigaction rec_sigaction_get(int sig);

#endif
