/* SPDX-License-Identifier: GPL-2.0-or-later */
/* causes.h - measure what faults spend their time on: the delay accounting of the kernel. */
#ifndef FLT_OBSERVE_CAUSES_H
#define FLT_OBSERVE_CAUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/command.h"
#include "limit/guard.h"
#include "source/netlink/control.h"

/* All zero: not started. */
struct flt_causes {
	struct flt_journal *journal;
	struct flt_guard guard;
	bool switched;		/* it was off, so threads that exist have none */
	uint32_t known;		/* bits of enum flt_cause that the kernel tells apart */
};

/* What a command says if .switched, and it observes threads that exist. */
#define FLT_CAUSES_SWITCHED "threads that exist have no delay accounting: only their waits for a " \
	"CPU and for userfaultfd are known (set sysctl kernel.task_delayacct=1 before they start)"

/*
 * Make sure that the module and the kernel can tell causes, and switch delay accounting on until
 * flt_causes_end(). Switching needs root. Say which parts of a fault this kernel does not measure.
 * Return 0 or -errno: -EOPNOTSUPP if they cannot tell causes.
 */
int flt_causes_start(struct flt_causes *causes, const struct flt_command *command,
		     struct flt_control *control, struct flt_errmsg *e);
/* Restore the setting. Return 0 or -errno. */
int flt_causes_end(struct flt_causes *causes, struct flt_errmsg *e);

#endif
