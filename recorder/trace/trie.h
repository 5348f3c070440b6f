/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trie.h - call stacks as nodes of a trie. Callers hold the pager lock. */
#ifndef FLT_REC_TRIE_H
#define FLT_REC_TRIE_H

#include <stdbool.h>
#include <stdint.h>

/* Start with an empty trie. A forked child has ids of its own. Return 0 or -errno. */
int rec_trie_init(void);
/*
 * Return the id of a stack. frame[0] is the innermost. Writes new nodes to the ring. *full is set
 * if the stack is truncated, because there are too many nodes.
 */
uint32_t rec_trie_id(const uint64_t *frame, unsigned int count, bool *full);

#endif
