// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include "account/retired.h"

/* Enough for the commands of a build. */
#define NAMES 256

struct session {
	struct flt_session_sum sum;
	u32 names;
	struct flt_name_sum name[NAMES];	/* the last one: names that do not fit */
};

/* Protects all variables below. Nests inside the lock of a row. */
static DEFINE_RAW_SPINLOCK(lock);
static struct flt_account retired;
static u64 retired_rows;
static struct session *sessions[FLT_ROW_SESSIONS];
/* The walk: its session as a bit mask (0: no walk), and the IDs to come. */
static u32 walk_session;
static u64 walk_id, walk_last;
static struct flt_session_sum walk_sum;

static void add_name(struct session *s, const struct flt_account *account, const char *comm)
{
	struct flt_name_sum *n = s->name;

	while (n < s->name + min(s->names, NAMES - 1u) && strcmp(n->comm, comm))
		n++;
	if (n == s->name + s->names) {
		s->names++;
		strscpy(n->comm, s->names < NAMES ? comm : "(other names)", sizeof(n->comm));
	}
	n->rows++;
	flt_account_merge(&n->account, account);
}

void flt_retired_add(u64 id, const struct flt_account *account, const char *comm, u32 mask)
{
	unsigned long bits = mask;
	u32 bit;

	raw_spin_lock(&lock);
	flt_account_merge(&retired, account);
	WRITE_ONCE(retired_rows, retired_rows + 1);
	for_each_set_bit(bit, &bits, FLT_ROW_SESSIONS) {
		flt_account_merge(&sessions[bit]->sum.account, account);
		sessions[bit]->sum.rows++;
		add_name(sessions[bit], account, comm);
	}
	if (mask & walk_session && id >= READ_ONCE(walk_id) && id <= walk_last) {
		flt_account_merge(&walk_sum.account, account);
		walk_sum.rows++;
	}
	raw_spin_unlock(&lock);
}

u64 flt_retired_read(struct flt_account *sum)
{
	u64 rows;

	raw_spin_lock(&lock);
	rows = retired_rows;
	if (sum)
		*sum = retired;
	raw_spin_unlock(&lock);
	return rows;
}

int flt_retired_open(u32 bit)
{
	sessions[bit] = kvzalloc(sizeof(*sessions[bit]), GFP_KERNEL);
	return sessions[bit] ? 0 : -ENOMEM;
}

void flt_retired_close(u32 bit)
{
	struct session *s = sessions[bit];

	raw_spin_lock(&lock);
	sessions[bit] = NULL;
	raw_spin_unlock(&lock);
	kvfree(s);
}

size_t flt_retired_memory(void)
{
	size_t bytes = 0;
	u32 bit;

	for (bit = 0; bit < FLT_ROW_SESSIONS; bit++)
		if (READ_ONCE(sessions[bit]))
			bytes += sizeof(*sessions[bit]);
	return bytes;
}

void flt_retired_untracked(u32 mask)
{
	unsigned long bits = mask;
	u32 bit;

	raw_spin_lock(&lock);
	for_each_set_bit(bit, &bits, FLT_ROW_SESSIONS)
		sessions[bit]->sum.untracked++;
	raw_spin_unlock(&lock);
}

bool flt_retired_name(u32 session, u32 i, struct flt_name_sum *name)
{
	const struct session *s;
	bool found;

	raw_spin_lock(&lock);
	s = sessions[__ffs(session)];
	found = s && i < s->names;
	if (found)
		*name = s->name[i];
	raw_spin_unlock(&lock);
	return found;
}

void flt_retired_walk_begin(u32 bit, u64 last)
{
	raw_spin_lock(&lock);
	walk_sum = sessions[bit]->sum;
	walk_id = 0;
	walk_last = last;
	walk_session = BIT(bit);
	raw_spin_unlock(&lock);
}

void flt_retired_walk_at(u64 id)
{
	WRITE_ONCE(walk_id, id + 1);
}

void flt_retired_walk_end(struct flt_session_sum *sum)
{
	raw_spin_lock(&lock);
	flt_account_merge(&sum->account, &walk_sum.account);
	sum->rows += walk_sum.rows;
	sum->untracked = walk_sum.untracked;
	walk_session = 0;
	raw_spin_unlock(&lock);
}
