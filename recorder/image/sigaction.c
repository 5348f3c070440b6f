// SPDX-License-Identifier: GPL-2.0-or-later
/* sigaction.c - rt_sigaction(2). */
#include "sigaction.h"

#include "arch/sigreturn.h"
#include "lib/core/sys.h"

void rec_sigaction_set(int sig, rec_handler *handler, unsigned long flags)
{
	struct rec_sigaction sa = {
		.handler = handler, .flags = SA_SIGINFO | REC_SIGRETURN_FLAG | flags,
		.restorer = rec_sigreturn, .mask = ~0ULL,
	};

	sys4(SYS_rt_sigaction, sig, &sa, 0, 8);
}

struct rec_sigaction rec_sigaction_get(int sig)
{
	struct rec_sigaction sa = { 0 };

	sys4(SYS_rt_sigaction, sig, 0, &sa, 8);
	return sa;
}
