// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probe.c - one load instruction, and a signal handler that skips it when it faults.
 *
 * The server reads the stack and the perf ring of a thread that sleeps in a fault. But
 * another thread may have filled that page meanwhile, so the thread may run on and end, and
 * its stack may be unmapped.
 */
#include "probe.h"

#include "arch/context.h"
#include "arch/probe.h"
#include "image/sigaction.h"
#include "lib/core/sys.h"

#include <signal.h>

extern const char rec_probe_load_at[] __attribute__((visibility("hidden")));
extern const char rec_probe_failed_at[] __attribute__((visibility("hidden")));

__asm__(".text\n.globl rec_probe_load\n.hidden rec_probe_load\n.type rec_probe_load,@function\n"
	".hidden rec_probe_load_at\n.globl rec_probe_load_at\n"
	".hidden rec_probe_failed_at\n.globl rec_probe_failed_at\n"
	"rec_probe_load:\nrec_probe_load_at:\n" REC_PROBE_LOAD
	"rec_probe_failed_at:\n" REC_PROBE_FAIL ".size rec_probe_load, .-rec_probe_load\n");

/* Skip the load that failed. Any other fault is a bug: let it end the server. */
static void fail(int sig, siginfo_t *info, void *context)
{
	uint64_t *ip = rec_context_ip(context);

	(void)info;
	if (*ip == (uintptr_t)rec_probe_load_at)
		*ip = (uintptr_t)rec_probe_failed_at;
	else
		rec_sigaction_set(sig, NULL, 0);	/* SIG_DFL */
}

/* The server has its own signal handlers and all signals blocked. */
void rec_probe_install(void)
{
	uint64_t both = 1ULL << (SIGSEGV - 1) | 1ULL << (SIGBUS - 1);

	rec_sigaction_set(SIGSEGV, fail, 0);
	rec_sigaction_set(SIGBUS, fail, 0);
	sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &both, 0, 8);
}
