// SPDX-License-Identifier: GPL-2.0-or-later
/* sigaction.c - rt_sigaction(2) and the code that returns from a handler. */
#include "sigaction.h"

#include "lib/core/sys.h"

#define RESTORER 0x04000000	/* SA_RESTORER */

void rec_sigaction_restore(void);
__asm__(".text\n.globl rec_sigaction_restore\n.hidden rec_sigaction_restore\n"
	".type rec_sigaction_restore,@function\nrec_sigaction_restore:\n"
	"mov $15, %eax\nsyscall\n");

void rec_sigaction_set(int sig, rec_handler *handler, unsigned long flags)
{
	struct rec_sigaction sa = {
		.handler = handler, .flags = SA_SIGINFO | RESTORER | flags,
		.restorer = rec_sigaction_restore, .mask = ~0ULL,
	};

	sys4(SYS_rt_sigaction, sig, &sa, 0, 8);
}

struct rec_sigaction rec_sigaction_get(int sig)
{
	struct rec_sigaction sa = { 0 };

	sys4(SYS_rt_sigaction, sig, 0, &sa, 8);
	return sa;
}
