// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "account/counter.h"
#include "cmd/export/export.h"
#include "model/counts/growth.h"
#include "observe/accounting.h"
#include "source/netlink/control.h"
#include "source/netlink/genl.h"
#include "source/netlink/ledger_ask.h"
#include "source/netlink/row_stream.h"
#include "source/proc/cgroup_tree.h"

static const enum flt_ledger_which which[EXPORT_LEDGERS] = {
	[EXPORT_THP] = FLT_LEDGER_OF_THP,
	[EXPORT_NUMA] = FLT_LEDGER_OF_NUMA,
};

int export_open(struct export *x, struct flt_errmsg *e)
{
	struct flt_accounting accounting;
	uint32_t session;
	int ret, i;

	ret = flt_accounting_start(x->control, x->args->counts ? FLT_ACCOUNTING_COUNTS :
				   FLT_ACCOUNTING_ALL, &accounting, e);
	for (i = 0; i < EXPORT_LEDGERS && !ret; i++)
		if (x->args->ledger[i])
			ret = flt_ledger_ask_session(x->control, which[i], NULL, 0, false,
						     &session, e);
	if (!ret && x->wsets)
		ret = export_wsets_open(x, e);
	return ret;
}

static void put_tally(struct export_counts *now, const struct flt_tally *tally)
{
	const struct flt_counter *c;
	size_t i = 0;

#define LOSS(member, ...) now->loss[i++] = tally->member;
	FLT_TALLY_LOSSES(LOSS)
#undef LOSS
	for (i = 0; (c = flt_counter_at(i)); i++)
		if (c->fold == FLT_FOLD_SUM)
			now->counter[i] = flt_counter_read(c, &tally->all);
	memcpy(now->kind, tally->all.kinds, sizeof(now->kind));
	memcpy(now->failure, tally->failures, sizeof(now->failure));
}

static int read_latency(struct export *x, struct export_counts *now)
{
	struct flt_latencies list = { 0 };
	int ret = flt_control_latency(x->control, false, &list, &x->error);
	size_t i, k;

	for (i = 0; i < list.count && !ret; i++) {
		const struct flt_latency *at = &list.latency[i];
		uint32_t kind = at->kind < __FLT_KIND_MAX ? at->kind : FLT_KIND_UNKNOWN;

		for (k = 0; k < FLT_BUCKETS; k++)
			now->latency[at->major][kind][k] += at->buckets[k];
	}
	free(list.latency);
	return ret;
}

static int read_ledgers(struct export *x, struct export_counts *now)
{
	struct flt_ledger_line line;
	int ret = 0, i;

	for (i = 0; i < EXPORT_LEDGERS && !ret; i++) {
		if (!x->args->ledger[i])
			continue;
		ret = flt_ledger_ask_machine(x->control, which[i], &line, &x->error);
		now->ledger[i] = line.n;
		x->ledger_unknown[i] = line.unknown;
	}
	return ret;
}

/* A row without a cgroup, or of one that was removed, stays in the last known group. */
static int take_row(void *arg, const struct flt_row *row)
{
	struct export *x = arg;

	return flt_groups_add(x->groups, row, flt_groups_counted(x->groups, row) ?
			      flt_cgroup_tree_path(x->cgroups, row->cgroup) : NULL);
}

static int read_groups(struct export *x, const struct flt_tally *tally)
{
	struct flt_account rowless = tally->retired;
	const struct flt_counter *c;
	size_t i;
	int ret;

	for (i = 0; (c = flt_counter_at(i)); i++)
		if (c->fold == FLT_FOLD_SUM)
			*flt_counter_in(c, &rowless) += flt_counter_read(c, &tally->other);
	flt_groups_begin(x->groups);
	ret = flt_row_stream(x->control, take_row, x, &x->error);
	x->complete = !ret;
	if (ret && ret != -EINTR)
		return ret;
	flt_groups_end(x->groups, x->complete, &rowless);
	return 0;
}

/* The counters of a module that was loaded again begin with 0. */
static void forget_unloaded(struct export *x)
{
	const int family = flt_genl_family(flt_control_genl(x->control));

	if (family == x->family)
		return;
	x->family = family;
	memset(&x->last, 0, sizeof(x->last));
	if (x->groups)
		flt_groups_reset(x->groups);
}

static int read_module(struct export *x)
{
	struct export_counts *now = calloc(1, sizeof(*now));
	struct flt_tally tally;
	int ret = now ? 0 : -ENOMEM;

	x->error.text[0] = '\0';
	forget_unloaded(x);
	/* Read the buckets first, so that the sum of latencies covers every fault in them. */
	if (!ret && !x->args->counts)
		ret = read_latency(x, now);
	if (!ret)
		ret = read_ledgers(x, now);
	if (!ret)
		ret = flt_control_tally(x->control, &tally, &x->error);
	/* Groups and working sets share the round, so they walk the tree at most once. */
	if (x->cgroups)
		flt_cgroup_tree_round(x->cgroups);
	if (!ret && x->groups)
		ret = read_groups(x, &tally);
	if (!ret && x->wsets)
		ret = export_wsets_measure(x);
	if (!ret) {
		put_tally(now, &tally);
		flt_growth_add((uint64_t *)&x->sum, (uint64_t *)&x->last, (uint64_t *)now,
			       sizeof(*now) / sizeof(uint64_t));
		x->unknown = tally.all.unknown;
		x->latency_max = tally.all.latency_max;
	}
	free(now);
	return ret;
}

/* Find the module after it was unloaded, and open the sessions again. */
static int reconnect(struct export *x)
{
	int ret = flt_control_open(&x->control, &x->error);

	if (ret) {
		x->control = NULL;
		return ret;
	}
	return export_open(x, &x->error);
}

int export_collect(struct export *x)
{
	int ret = 0;

	x->scrapes++;
	if (!x->control)
		ret = reconnect(x);
	if (!ret)
		ret = read_module(x);
	if (!ret)
		x->told = false;
	if (!ret || ret == -ENOMEM)
		return ret;
	/* Sessions end with their socket, so that the module can be unloaded. */
	flt_control_close(x->control);
	x->control = NULL;
	x->failures++;
	if (!x->error.text[0])
		flt_errmsg_errno(&x->error, ret, "cannot read the flt module");
	if (!x->told)
		flt_command_say(x->command, "%s", x->error.text);
	x->told = true;
	return 0;
}
