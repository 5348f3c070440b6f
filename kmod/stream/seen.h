/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seen - a cache of the notes that a session was sent, by key.
 *
 * The size is fixed; a note that was evicted is sent again. All CPUs use the cache without
 * a lock: if two CPUs add the same key or overwrite each other's key, a note is repeated.
 */
#ifndef FLT_SEEN_H
#define FLT_SEEN_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/types.h>

#define FLT_SEEN_KEYS 4096	/* a power of two */
#define FLT_SEEN_WAYS 4		/* entries per set; a power of two */

struct flt_seen {
	u64 key[FLT_SEEN_KEYS];	/* 0: free */
};

static __always_inline u64 flt_seen_mix(u64 hash, u64 value)
{
	return (hash ^ value) * GOLDEN_RATIO_64 ^ hash >> 29;
}

static __always_inline u32 flt_seen_set(u64 key)
{
	return hash_64(key, ilog2(FLT_SEEN_KEYS)) & ~(FLT_SEEN_WAYS - 1);
}

/* @key must not be 0. */
static __always_inline bool flt_seen_has(const struct flt_seen *seen, u64 key)
{
	const u64 *set = &seen->key[flt_seen_set(key)];
	int i;

	for (i = 0; i < FLT_SEEN_WAYS; i++)
		if (READ_ONCE(set[i]) == key)
			return true;
	return false;
}

static inline void flt_seen_add(struct flt_seen *seen, u64 key)
{
	u64 *set = &seen->key[flt_seen_set(key)];
	int i;

	for (i = 0; i < FLT_SEEN_WAYS - 1 && READ_ONCE(set[i]); i++)
		;
	/* The set is full: evict an entry, chosen by low bits of the key, which vary. */
	if (READ_ONCE(set[i]))
		i = key >> 1 & (FLT_SEEN_WAYS - 1);
	WRITE_ONCE(set[i], key);
}

#endif
