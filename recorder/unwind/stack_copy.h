/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack_copy.h - a copy of the part of a stack that was in use when a thread faulted. */
#ifndef FLT_REC_STACK_COPY_H
#define FLT_REC_STACK_COPY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The copy is in a ring buffer: the byte of stack address sp + n is ring[(at + n) % size]. */
struct rec_stack_copy {
	const char *ring;
	uint64_t size, at;
	uint64_t sp, bytes;
};

/* Read a word of the stack. Return false if the copy does not contain it. */
static inline bool rec_stack_copy_read(const struct rec_stack_copy *c, uint64_t address,
				       uint64_t *word)
{
	/* Records of perf and their parts have sizes that are multiples of 8. */
	if (address < c->sp || address - c->sp + sizeof(*word) > c->bytes || (address - c->sp) & 7)
		return false;
	memcpy(word, c->ring + (c->at + address - c->sp) % c->size, sizeof(*word));
	return true;
}

#endif
