/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_file_stacks.h - interning of stacks, one trie per image.
 *
 * Ids rise by 1 and are never given out twice; forgetting (after code at known
 * addresses was replaced) makes the same frames get new ids.
 */
#ifndef FLT_STREAM_FILE_STACKS_H
#define FLT_STREAM_FILE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flt_file.h"

struct flt_trie_slot {
	uint64_t address;
	uint32_t parent;
	uint32_t id;		/* 0: empty */
};

struct flt_trie {
	struct flt_trie_slot *slots;
	uint32_t mask;		/* slots - 1; 0 before the first */
	uint32_t used;
	uint32_t last;		/* last id given out */
};

/*
 * The id of `address` called from `parent`; *fresh tells that it is new. Returns
 * -ENOSPC when the trie is full, -ENOMEM.
 */
int flt_trie_intern(struct flt_trie *trie, uint64_t address, uint32_t parent, uint32_t *id, bool *fresh);
/* Is a return address in [start, end) known? */
bool flt_trie_covers(const struct flt_trie *trie, uint64_t start, uint64_t end);
/* Forget the frames; ids go on. */
void flt_trie_forget(struct flt_trie *trie);

#endif
