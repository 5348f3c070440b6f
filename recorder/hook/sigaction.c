// SPDX-License-Identifier: GPL-2.0-or-later
#include "sigaction.h"

#include "argument.h"
#include "image/image.h"
#include "image/sigaction.h"
#include "range.h"
#include "signal/handler.h"

/*
 * Some programs reset all signals in a forked child before it executes another program. Without its
 * handler, the signal of path A would kill the child. So the handler stays. A program that has a
 * handler of its own for the signal gets it, and path B.
 */
long rec_sigaction_call(int sig, const void *set, void *old, size_t mask_bytes)
{
	struct rec_sigaction new;

	if (set && rec_image_is_ready() && rec_handler_uses(sig) &&
	    rec_argument_read(&new, set, sizeof(new))) {
		/* SIG_DFL is 0. */
		if ((uintptr_t)new.handler <= (uintptr_t)SIG_IGN)
			set = NULL;
		else
			rec_handler_turn_off();
	}
	return rec_range_result(sys4(SYS_rt_sigaction, sig, set, old, mask_bytes));
}
