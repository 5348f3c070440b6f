/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index.h - hash index for tables that are searched for every fault.
 *
 * The index maps a hash to the numbers of entries. The caller keeps the entries, usually in an
 * array, and compares the keys. Each slot stores the full hash beside the number, so the index
 * grows and deletes without reading the entries, and a search reads an entry only if its hash
 * is equal.
 *
 * Open addressing with linear probing: one search reads adjacent slots, usually of one cache
 * line. A table that is not searched for every fault uses uthash instead.
 *
 *	struct flt_index_search s = flt_index_search(hash);
 *	uint32_t n;
 *
 *	while (flt_index_next(&index, &s, &n))
 *		if (entries[n].key == key)
 *			return n;
 *	entries[count].key = key;
 *	return flt_index_add(&index, hash, count++);
 *
 * An index that is all zero is empty and ready for use.
 */
#ifndef FLT_INDEX_H
#define FLT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flt_index_slot {
	uint32_t hash;
	uint32_t number;	/* number of the entry + 1; 0: empty slot */
};

struct flt_index {
	struct flt_index_slot *slots;	/* mask + 1 slots, NULL: none allocated */
	uint32_t mask;			/* slots - 1, a power of two minus one */
	uint32_t used;
};

/* State of a search for all entries of one hash. */
struct flt_index_search {
	uint32_t hash;
	uint32_t distance;	/* slots read since the home of the hash */
};

/* Return the hash of a key of two words. Every bit of both words affects the low bits. */
static inline uint32_t flt_index_hash(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15ull) *
				    (b ^ 0xff51afd7ed558ccdull);
	uint64_t h = ((uint64_t)product ^ (uint64_t)(product >> 64)) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(h >> 32);
}

/* Start a search. Do not add or remove entries before the search ends. */
static inline struct flt_index_search flt_index_search(uint32_t hash)
{
	return (struct flt_index_search){ .hash = hash };
}

/*
 * Store the number of the next entry of this hash. Return false when there are no more. The
 * caller must compare keys, because different keys can have equal hashes.
 */
static inline bool flt_index_next(const struct flt_index *index, struct flt_index_search *s,
				  uint32_t *number)
{
	const struct flt_index_slot *slot;

	if (!index->slots)
		return false;
	for (;;) {
		slot = &index->slots[(s->hash + s->distance) & index->mask];
		if (!slot->number)
			return false;
		s->distance++;
		if (slot->hash == s->hash) {
			*number = slot->number - 1;
			return true;
		}
	}
}

/* Load the first slot of this hash into the cache. */
static inline void flt_index_prefetch(const struct flt_index *index, uint32_t hash)
{
	if (index->slots)
		__builtin_prefetch(&index->slots[hash & index->mask]);
}

/*
 * Add an entry. The caller has checked that the key is not in the table. Return -ENOMEM if the
 * index cannot grow; it is unchanged then. The largest number is UINT32_MAX - 1.
 */
int flt_index_add(struct flt_index *index, uint32_t hash, uint32_t number);
/* Remove the entry with this hash and number. Return false if it is not in the index. */
bool flt_index_remove(struct flt_index *index, uint32_t hash, uint32_t number);
/* Remove all entries but keep the memory. */
void flt_index_clear(struct flt_index *index);
/* Copy `from` to `to`, whose old content is not freed. Return -ENOMEM with `to` empty. */
int flt_index_copy(struct flt_index *to, const struct flt_index *from);
/* Free the memory. The index is empty afterwards and ready for use. */
void flt_index_free(struct flt_index *index);

#endif
