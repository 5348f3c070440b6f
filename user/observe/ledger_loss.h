/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_loss.h - events that no line of a ledger has. */
#ifndef FLT_LEDGER_LOSS_H
#define FLT_LEDGER_LOSS_H

#include "observe/loss.h"
#include "observe/members.h"
#include "source/netlink/ledger_ask.h"

struct flt_ledger_losses {
	const struct flt_command *command;
	struct flt_control *control;
	enum flt_ledger_which which;
	const char *const *hooks;	/* prefixes of the names of its hooks; NULL-terminated */
	const struct flt_members *members;	/* of --cgroup, or NULL */
	bool filtered;			/* only the processes of a session */
	/* Losses of the machine before the run, set by flt_ledger_loss_begin(). */
	uint64_t missed;	/* calls, by the hooks */
	uint64_t retired;	/* rows, with members only */
};

/*
 * Both return 0 or -errno. Store the losses so far, and print which counters are unknown because
 * the kernel lacks a hook.
 */
int flt_ledger_loss_begin(struct flt_ledger_losses *l, struct flt_errmsg *e);
/* Add the losses of a run since its begin. id: of its session. */
int flt_ledger_loss_since(const struct flt_ledger_losses *l, uint32_t id, struct flt_loss *loss,
			  struct flt_errmsg *e);

#endif
