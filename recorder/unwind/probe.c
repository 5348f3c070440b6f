// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probe.c - loads from memory that may go away at any moment.
 *
 * The server looks at the stack and the perf ring of a thread that sleeps in a fault.
 * But another thread may have brought that page in meanwhile, and the thread may have
 * gone on, and ended, and its stack been unmapped. So the server's loads are made by
 * one instruction, and its SIGSEGV at that one goes on where the load has failed.
 * Not for limited memory: there a load would not fail but wait.
 */
#include "rec.h"

#include <signal.h>
#include <ucontext.h>

struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

extern const char rec_probe_load_at[] __attribute__((visibility("hidden")));
extern const char rec_probe_failed_at[] __attribute__((visibility("hidden")));
void rec_probe_restore(void);

__asm__(".text\n.globl rec_probe_load\n.hidden rec_probe_load\n.type rec_probe_load,@function\n"
	".hidden rec_probe_load_at\n.globl rec_probe_load_at\n"
	".hidden rec_probe_failed_at\n.globl rec_probe_failed_at\n"
	"rec_probe_load:\nrec_probe_load_at:\n"
	"movq (%rdi), %rax\nmovq %rax, (%rsi)\nmovl $1, %eax\nret\n"
	"rec_probe_failed_at:\nxorl %eax, %eax\nret\n.size rec_probe_load, .-rec_probe_load\n"
	".globl rec_probe_restore\n.hidden rec_probe_restore\n"
	".type rec_probe_restore,@function\nrec_probe_restore:\nmov $15, %eax\nsyscall\n");

static void failed(int sig, siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct kernel_sigaction none = { 0 };	/* SIG_DFL */

	(void)info;
	if (g[REG_RIP] == (greg_t)(uintptr_t)rec_probe_load_at)
		g[REG_RIP] = (greg_t)(uintptr_t)rec_probe_failed_at;
	else
		sys4(SYS_rt_sigaction, sig, &none, 0, 8);
}

/* The server has all signals blocked, and signal handlers of its own. */
void rec_probe_install(void)
{
	struct kernel_sigaction sa = {
		.handler = failed, .restorer = rec_probe_restore,
		.flags = SA_SIGINFO | 0x04000000 /* SA_RESTORER */, .mask = ~0ULL,
	};
	uint64_t both = 1ULL << (SIGSEGV - 1) | 1ULL << (SIGBUS - 1);

	sys4(SYS_rt_sigaction, SIGSEGV, &sa, 0, 8);
	sys4(SYS_rt_sigaction, SIGBUS, &sa, 0, 8);
	sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &both, 0, 8);
}
