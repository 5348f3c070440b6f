// SPDX-License-Identifier: GPL-2.0-or-later
/* Interning of stacks: an open-addressed table of (parent, address). */
#include "source/file/stacks.h"

#include <errno.h>
#include <stdlib.h>

#define SLOTS_FIRST 256u

static uint32_t slot_hash(uint64_t address, uint32_t parent)
{
	uint64_t h = (address ^ ((uint64_t)parent << 32 | parent)) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static int trie_grow(struct flt_trie *trie)
{
	uint32_t slots = trie->slots ? (trie->mask + 1) * 2 : SLOTS_FIRST, i, at;
	struct flt_trie_slot *fresh = calloc(slots, sizeof(*fresh));

	if (!fresh)
		return -ENOMEM;
	for (i = 0; trie->slots && i <= trie->mask; i++) {
		if (!trie->slots[i].id)
			continue;
		at = slot_hash(trie->slots[i].address, trie->slots[i].parent) & (slots - 1);
		while (fresh[at].id)
			at = (at + 1) & (slots - 1);
		fresh[at] = trie->slots[i];
	}
	free(trie->slots);
	trie->slots = fresh;
	trie->mask = slots - 1;
	return 0;
}

int flt_trie_intern(struct flt_trie *trie, uint64_t address, uint32_t parent, uint32_t *id, bool *fresh)
{
	struct flt_trie_slot *slot;
	uint32_t at;
	int err;

	*fresh = false;
	if (!trie->slots || trie->used >= (trie->mask + 1) / 2) {
		err = trie_grow(trie);
		if (err)
			return err;
	}
	at = slot_hash(address, parent) & trie->mask;
	for (;; at = (at + 1) & trie->mask) {
		slot = &trie->slots[at];
		if (!slot->id)
			break;
		if (slot->address == address && slot->parent == parent) {
			*id = slot->id;
			return 0;
		}
	}
	if (trie->last >= FLT_STACK_NODES_MAX)
		return -ENOSPC;
	slot->address = address;
	slot->parent = parent;
	slot->id = ++trie->last;
	trie->used++;
	*id = slot->id;
	*fresh = true;
	return 0;
}

bool flt_trie_covers(const struct flt_trie *trie, uint64_t start, uint64_t end)
{
	uint32_t i;

	for (i = 0; trie->slots && i <= trie->mask; i++)
		if (trie->slots[i].id && trie->slots[i].address >= start && trie->slots[i].address < end)
			return true;
	return false;
}

void flt_trie_forget(struct flt_trie *trie)
{
	free(trie->slots);
	trie->slots = NULL;
	trie->mask = 0;
	trie->used = 0;
}
