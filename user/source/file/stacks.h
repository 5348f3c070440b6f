/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h - interning of stacks, one trie per image.
 *
 * IDs start at 1, increase by 1 and are never reused. flt_trie_forget() is called when code
 * was replaced; the same addresses get new IDs after it.
 */
#ifndef FLT_STREAM_FILE_STACKS_H
#define FLT_STREAM_FILE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flt_file.h"
#include "index/index.h"

struct flt_trie_frame {
	uint64_t address;
	uint32_t parent;
};

/* A stack that was interned, by the number of the caller for its frames. */
struct flt_trie_known {
	uint32_t key, id;
};
#define FLT_TRIE_KNOWN 1024

/* A trie that is all zero is empty and ready for use. */
struct flt_trie {
	struct flt_trie_frame *frames;	/* frames[n] has the ID forgotten + n + 1 */
	uint32_t count, room;
	uint32_t forgotten;		/* IDs assigned before the last flt_trie_forget() */
	struct flt_index index;
	struct flt_trie_known *known;	/* cache: FLT_TRIE_KNOWN slots, or NULL */
};

/*
 * Get the ID of `address` called from `parent`. Set *added if it is new. Return 0, -ENOMEM, or
 * -ENOSPC if all IDs are in use.
 */
int flt_trie_intern(struct flt_trie *trie, uint64_t address, uint32_t parent, uint32_t *id,
		    bool *added);
/* Return the ID that was remembered for a key, or 0. */
static inline uint32_t flt_trie_recall(const struct flt_trie *trie, uint32_t key)
{
	const struct flt_trie_known *k;

	if (!trie->known)
		return 0;
	k = &trie->known[key % FLT_TRIE_KNOWN];
	return k->key == key ? k->id : 0;
}

/* Remember the ID of a key until flt_trie_forget(), or until the slot has another key. */
void flt_trie_remember(struct flt_trie *trie, uint32_t key, uint32_t id);
/* Return true if the trie contains a return address in [start, end). */
bool flt_trie_covers(const struct flt_trie *trie, uint64_t start, uint64_t end);
/* Forget all frames. Later ids continue after the last one. */
void flt_trie_forget(struct flt_trie *trie);

#endif
