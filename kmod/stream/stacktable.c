// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include "stream/stacktable.h"

/* Frames per stack, on average over all stacks. */
#define FRAMES_EACH 16
/*
 * Longest chain. The random seed keeps programs from choosing addresses that fall into one
 * chain. If a program does, its further stacks get IDs for one use, so a chain does not
 * grow and other threads do not wait for the lock.
 */
#define CHAIN_MAX 32

/*
 * A user may hold at most PART_OF_FREE times as many entries and blocks as are free. So one user
 * can fill 80 % of the table, and the next one finds room. Users with one hash share their part.
 */
#define PART_OF_FREE 4
#define SHARE_BITS 8

struct share {
	u32 entries, blocks;
};

struct entry {
	u64 hash;
	atomic_t sent;		/* bit per session */
	u32 next;		/* ID of the next in the chain */
	u32 block;		/* index of its first block */
	u8 depth, cut;
};

struct block {
	u64 frame[FLT_STACK_BLOCK];
};

/* The ID of a stack is the index of its entry plus 1. */
static struct entry *entries;
static struct block *blocks;
static u32 *chains;
static u32 shift;			/* 64 - log2 of the number of chains */
static u32 max_entries, max_blocks;
static u32 used, used_blocks;		/* changed under the lock below */
static struct share shares[1 << SHARE_BITS];	/* the same */
static u32 users;			/* changed under the lock of the sessions */
static atomic_t once;
static DEFINE_RAW_SPINLOCK(lock);

u64 flt_stacktable_seed;

void __init flt_stacktable_init(u32 max)
{
	max_entries = max;
	max_blocks = max * (FRAMES_EACH / FLT_STACK_BLOCK);
	shift = 64 - ilog2(roundup_pow_of_two(max));
}

static void free_table(void)
{
	kvfree(entries);
	kvfree(blocks);
	kvfree(chains);
	entries = NULL;
	blocks = NULL;
	chains = NULL;
}

int flt_stacktable_get(u32 bit)
{
	u32 i;

	if (!users) {
		entries = kvcalloc(max_entries, sizeof(*entries), GFP_KERNEL);
		blocks = kvcalloc(max_blocks, sizeof(*blocks), GFP_KERNEL);
		chains = kvcalloc(1ul << (64 - shift), sizeof(*chains), GFP_KERNEL);
		if (!entries || !blocks || !chains) {
			free_table();
			return -ENOMEM;
		}
		used = 0;
		used_blocks = 0;
		memset(shares, 0, sizeof(shares));
		flt_stacktable_seed = get_random_u64();
	}
	WRITE_ONCE(users, users + 1);
	/* Clear the marks of an earlier session with this bit. New entries have none. */
	for (i = 0; i < max_entries; i++)
		atomic_andnot(BIT(bit), &entries[i].sent);
	return 0;
}

void flt_stacktable_put(void)
{
	WRITE_ONCE(users, users - 1);
	if (!users)
		free_table();
}

static __always_inline bool is_same_stack(const struct entry *e, const struct flt_stack *s)
{
	const struct block *b = &blocks[e->block], *end;
	const u64 *f = s->frames;

	BUILD_BUG_ON(FLT_STACK_BLOCK != 4);
	if (e->depth != s->depth || e->cut != s->cut)
		return false;
	for (end = b + DIV_ROUND_UP(s->depth, FLT_STACK_BLOCK); b < end; b++, f += FLT_STACK_BLOCK)
		if ((b->frame[0] ^ f[0]) | (b->frame[1] ^ f[1]) |
		    (b->frame[2] ^ f[2]) | (b->frame[3] ^ f[3]))
			return false;
	return true;
}

/* Return the ID of a stack in a chain, or 0. Set the length of the chain up to there. */
static __always_inline u32 search_chain(u32 id, const struct flt_stack *s, u32 *length)
{
	for (*length = 0; id; id = READ_ONCE(entries[id - 1].next), ++*length)
		if (entries[id - 1].hash == s->hash && is_same_stack(&entries[id - 1], s))
			break;
	return id;
}

/*
 * Return the share of the user whom the stacks of current are charged to. Whoever may create user
 * namespaces has many user IDs. So the users of a namespace count as its owner, or, if root is the
 * owner, as one user.
 */
static struct share *share_of_current(void)
{
	const struct user_namespace *ns = current_user_ns();
	u64 user = __kuid_val(current_uid());

	if (ns != &init_user_ns) {
		while (ns->parent != &init_user_ns)
			ns = ns->parent;
		user = uid_eq(ns->owner, GLOBAL_ROOT_UID) ? (uintptr_t)ns : __kuid_val(ns->owner);
	}
	return &shares[hash_64(user, SHARE_BITS)];
}

/* Return true if the table has room for a stack of @count blocks, and the user has a part left. */
static bool has_room(const struct share *s, u32 count)
{
	u64 entries = max_entries - READ_ONCE(used);
	u64 free = max_blocks - READ_ONCE(used_blocks);

	return entries && free >= count && READ_ONCE(s->entries) < PART_OF_FREE * entries &&
	       READ_ONCE(s->blocks) + count <= PART_OF_FREE * free;
}

static noinline u32 insert_stack(u32 *chain, const struct flt_stack *s, u32 length)
{
	u32 count = DIV_ROUND_UP(s->depth, FLT_STACK_BLOCK), id;
	struct share *share = share_of_current();
	struct entry *e;

	/* Don't take the lock if the chain is full, or the table for this user. */
	if (length >= CHAIN_MAX || !has_room(share, count))
		return 0;
	raw_spin_lock(&lock);
	/* Another CPU may have added the stack meanwhile. */
	id = search_chain(*chain, s, &length);
	if (id || length >= CHAIN_MAX || !has_room(share, count))
		goto out;
	e = &entries[used];
	e->hash = s->hash;
	e->depth = s->depth;
	e->cut = s->cut;
	e->block = used_blocks;
	e->next = *chain;
	memcpy(&blocks[used_blocks], s->frames, count * sizeof(*blocks));
	WRITE_ONCE(used_blocks, used_blocks + count);
	WRITE_ONCE(share->entries, share->entries + 1);
	WRITE_ONCE(share->blocks, share->blocks + count);
	id = used + 1;
	WRITE_ONCE(used, id);
	/* Pairs with flt_stacktable_find(): a CPU that finds the entry finds it complete. */
	smp_store_release(chain, id);
out:
	raw_spin_unlock(&lock);
	return id;
}

u32 flt_stacktable_find(struct flt_stack *s, u32 bit)
{
	u32 *chain, id, length, i;

	for (i = s->depth; i % FLT_STACK_BLOCK; i++)
		s->frames[i] = 0;
	s->hash = flt_stacktable_mix(s->hash, s->hash >> 32);
	chain = &chains[s->hash >> shift];
	/* Pairs with insert_stack(). */
	id = search_chain(smp_load_acquire(chain), s, &length);
	if (unlikely(!id))
		id = insert_stack(chain, s, length);
	s->sent = id && atomic_read(&entries[id - 1].sent) & BIT(bit);
	return id;
}

u32 flt_stacktable_once(void)
{
	u32 n = atomic_inc_return(&once);

	/* Above the IDs of the table, and never 0. */
	return max_entries + 1 + n % (U32_MAX - max_entries);
}

void flt_stacktable_mark(u32 id, u32 bit)
{
	atomic_or(BIT(bit), &entries[id - 1].sent);
}

size_t flt_stacktable_memory(void)
{
	if (!READ_ONCE(users))
		return 0;
	return max_entries * sizeof(*entries) + max_blocks * sizeof(*blocks) +
	       (sizeof(*chains) << (64 - shift));
}

u32 flt_stacktable_used(void)
{
	return READ_ONCE(users) ? READ_ONCE(used) : 0;
}
