/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trie_hash.h - the hash of a node of the stack trie. */
#ifndef FLT_REC_TRIE_HASH_H
#define FLT_REC_TRIE_HASH_H

#include <stdint.h>

/*
 * Return a hash whose lowest bits depend on all bits of both values. A recursive function gives
 * many nodes the same address, and neighbouring nodes have neighbouring parents, so neither value
 * alone tells nodes apart.
 */
static inline uint32_t rec_trie_hash(uint32_t parent, uint64_t address)
{
	const uint64_t odd = 0x9e3779b97f4a7c15ULL;

	return (uint32_t)((address + parent * odd) * odd >> 32);
}

#endif
