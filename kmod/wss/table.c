// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "wss/table.h"

/* table.h says what each lock protects. */
DEFINE_MUTEX(flt_wss_lock);
DEFINE_RAW_SPINLOCK(flt_wss_table_lock);
struct flt_wss_target flt_wss_targets[FLT_WSS_MAX_TARGETS];
static u64 last_serial;

struct flt_wss_target *flt_wss_find_target(const struct pid *pid)
{
	struct flt_wss_target *t;

	flt_wss_for_each_target(t)
		if (t->pid == pid && (t->state == TARGET_FRESH || t->state == TARGET_LIVE))
			return t;
	return NULL;
}

static unsigned int free_slots(void)
{
	const struct flt_wss_target *t;
	unsigned int n = 0;

	flt_wss_for_each_target(t)
		n += t->state == TARGET_FREE;
	return n;
}

struct flt_wss_target *flt_wss_take_target(struct flt_wss_tracker *tr, struct pid *pid,
					   u64 born, bool found)
{
	struct flt_wss_target *t;

	if (found && free_slots() <= FLT_WSS_NAMED_TARGETS)
		return NULL;
	flt_wss_for_each_target(t) {
		if (t->state != TARGET_FREE)
			continue;
		t->state = TARGET_FRESH;
		t->tracker = tr;
		t->pid = get_pid(pid);
		t->serial = ++last_serial;
		t->scanned = born;
		return t;
	}
	return NULL;
}

void flt_wss_release_target(struct flt_wss_target *t)
{
	struct flt_wss_sample *ring = t->ring;
	struct mm_struct *mm = t->mm;
	struct pid *pid = t->pid;

	raw_spin_lock(&flt_wss_table_lock);
	memset(t, 0, sizeof(*t));
	raw_spin_unlock(&flt_wss_table_lock);
	put_pid(pid);
	if (mm)
		mmdrop(mm);
	kvfree(ring);
}

void flt_wss_restore_target(struct flt_wss_target *t)
{
	struct flt_wss_tracker *tr = t->tracker;

	if (!tr->config.inject || !t->mm || !mmget_not_zero(t->mm))
		return;
	flt_wss_scan(t->mm, FLT_WSS_RESTORE, NULL, tr->holds, &tr->scan);
	mmput_async(t->mm);
}

void flt_wss_store_sample(struct flt_wss_target *t, const struct flt_wss_sample *sample)
{
	struct flt_wss_tracker *tr = t->tracker;
	struct flt_wss_sample *slot = &t->ring[t->made % tr->config.history];

	if (t->made >= tr->config.history)
		tr->overwritten++;
	*slot = *sample;
	slot->key = ++tr->last_key;
	slot->index = ++t->made;
	slot->round = tr->rounds + 1;
}
