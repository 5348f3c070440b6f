// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/ledger_loss.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "observe/loss.h"
#include "source/netlink/control.h"

/* Report what is unknown because this kernel lacks a hook. */
static void say_absent(const struct flt_ledger_losses *l, const struct flt_hook *h)
{
	char names[FLT_LEDGER_TEXT];

	flt_ledger_say_unknown(l->which == FLT_LEDGER_OF_NUMA, h->unknown, names);
	if (*names)
		flt_loss_say_absent(l->command, names, h->symbol, h->name);
}

/* Count the calls that the hooks missed so far. say: report hooks that this kernel lacks. */
static int count_missed(const struct flt_ledger_losses *l, bool say, uint64_t *missed,
			struct flt_errmsg *e)
{
	struct flt_hooks hooks = { 0 };
	const char *const *prefix;
	size_t i;
	int ret = flt_control_hooks(l->control, &hooks, e);

	*missed = 0;
	for (i = 0; !ret && i < hooks.count; i++) {
		const struct flt_hook *h = &hooks.hook[i];

		for (prefix = l->hooks; *prefix; prefix++)
			if (!strncmp(h->name, *prefix, strlen(*prefix)))
				break;
		if (!*prefix)
			continue;
		*missed += h->missed_busy + h->missed_full;
		if (say && h->state == FLT_HOOK_STATE_ABSENT)
			say_absent(l, h);
	}
	free(hooks.hook);
	return ret;
}

/*
 * Count the ended processes that have left the table of the session, and their lines with them.
 * Those of the machine are in its line.
 */
static int count_retired(const struct flt_ledger_losses *l, uint32_t id,
			 const struct flt_session *session, uint64_t *retired,
			 struct flt_errmsg *e)
{
	struct flt_rows rows = { 0 };
	int ret = flt_control_procs(l->control, id, false, &rows, e);

	/* A torn reading is counted by the snapshots. */
	if (ret == -EINTR)
		ret = 0;
	*retired = !ret && session->procs > rows.count ? session->procs - rows.count : 0;
	flt_rows_free(&rows);
	return ret;
}

int flt_ledger_loss_begin(struct flt_ledger_losses *l, struct flt_errmsg *e)
{
	struct flt_tally tally;
	int ret = count_missed(l, true, &l->missed, e);

	if (ret || !l->members)
		return ret;
	ret = flt_control_tally(l->control, &tally, e);
	if (!ret)
		l->retired = tally.procs_retired;
	return ret;
}

int flt_ledger_loss_since(const struct flt_ledger_losses *l, uint32_t id, struct flt_loss *loss,
			  struct flt_errmsg *e)
{
	struct flt_session session;
	struct flt_tally tally;
	uint64_t missed, retired = 0;
	int ret = count_missed(l, false, &missed, e);

	if (!ret)
		ret = flt_control_session(l->control, id, false, &session, e);
	if (!ret && l->members) {
		ret = flt_control_tally(l->control, &tally, e);
		retired = ret ? 0 : tally.procs_retired - l->retired;
	} else if (!ret && l->filtered) {
		ret = count_retired(l, id, &session, &retired, e);
	}
	if (ret)
		return ret;
	loss->hooks += missed - l->missed;
	loss->untracked += session.untracked;
	loss->forgotten += retired;
	loss->unplaced += l->members ? flt_members_unplaced(l->members) : 0;
	return 0;
}
