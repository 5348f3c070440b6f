// SPDX-License-Identifier: GPL-2.0-or-later
/* Interning of stacks: a hash table keyed by caller and address. */
#include "source/file/stacks.h"

#include <errno.h>
#include <stdlib.h>

#define FRAMES_FIRST 128u

static int frame_new(struct flt_trie *trie, uint64_t address, uint32_t parent, uint32_t hash)
{
	uint32_t room = trie->room ? trie->room * 2 : FRAMES_FIRST;
	struct flt_trie_frame *more;
	int err;

	if (trie->forgotten + trie->count >= FLT_STACK_NODES_MAX)
		return -ENOSPC;
	if (trie->count == trie->room) {
		more = reallocarray(trie->frames, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		trie->frames = more;
		trie->room = room;
	}
	err = flt_index_add(&trie->index, hash, trie->count);
	if (err)
		return err;
	trie->frames[trie->count++] = (struct flt_trie_frame){ address, parent };
	return 0;
}

int flt_trie_intern(struct flt_trie *trie, uint64_t address, uint32_t parent, uint32_t *id,
		    bool *added)
{
	uint32_t hash = flt_index_hash(address, parent), n;
	struct flt_index_search s = flt_index_search(hash);
	int err;

	*added = false;
	while (flt_index_next(&trie->index, &s, &n)) {
		if (trie->frames[n].address == address && trie->frames[n].parent == parent) {
			*id = trie->forgotten + n + 1;
			return 0;
		}
	}
	err = frame_new(trie, address, parent, hash);
	if (err)
		return err;
	*id = trie->forgotten + trie->count;
	*added = true;
	return 0;
}

bool flt_trie_covers(const struct flt_trie *trie, uint64_t start, uint64_t end)
{
	uint32_t i;

	for (i = 0; i < trie->count; i++)
		if (trie->frames[i].address >= start && trie->frames[i].address < end)
			return true;
	return false;
}

void flt_trie_remember(struct flt_trie *trie, uint32_t key, uint32_t id)
{
	if (!trie->known)
		trie->known = calloc(FLT_TRIE_KNOWN, sizeof(*trie->known));
	/* Without memory, each stack is interned again. */
	if (trie->known)
		trie->known[key % FLT_TRIE_KNOWN] = (struct flt_trie_known){ key, id };
}

void flt_trie_forget(struct flt_trie *trie)
{
	uint32_t forgotten = trie->forgotten + trie->count;

	free(trie->frames);
	free(trie->known);
	flt_index_free(&trie->index);
	*trie = (struct flt_trie){ .forgotten = forgotten };
}
