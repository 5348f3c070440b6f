/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h - interning of stacks, one trie per image.
 *
 * Ids start at 1, rise by 1 and are never reused. After flt_trie_forget(), which is called when
 * code at known addresses was replaced, the same frames get new ids.
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

/* A trie that is all zero is empty and ready for use. */
struct flt_trie {
	struct flt_trie_frame *frames;	/* frames[n] has the id forgotten + n + 1 */
	uint32_t count, room;
	uint32_t forgotten;		/* ids given out before the last flt_trie_forget() */
	struct flt_index index;
};

/*
 * Store the id of `address` called from `parent`, and whether the id is new. Return -ENOMEM, or
 * -ENOSPC when all ids are given out.
 */
int flt_trie_intern(struct flt_trie *trie, uint64_t address, uint32_t parent, uint32_t *id,
		    bool *fresh);
/* Return whether the trie contains a return address in [start, end). */
bool flt_trie_covers(const struct flt_trie *trie, uint64_t start, uint64_t end);
/* Forget all frames. Later ids continue after the last one. */
void flt_trie_forget(struct flt_trie *trie);

#endif
