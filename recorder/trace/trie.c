// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trie.c - nodes of the stack trie. Each is written to the ring once.
 *
 * An open hash of (parent, address). Only touched parts take memory. When the table is full,
 * stacks are truncated at the last frame that has a node.
 */
#include "trie.h"

#include "image/image.h"
#include "writer.h"

#include <flt_file.h>
#include <sys/mman.h>

struct node {
	uint64_t address;
	uint32_t parent;
	uint32_t id;		/* 0 = free */
};

#define SLOTS (1u << 21)
/* A file has no more nodes per image. */
#define NODES FLT_STACK_NODES_MAX

static struct node *node;
static uint32_t last;

int rec_trie_init(void)
{
	void *m;

	if (node)
		sys2(SYS_munmap, node, SLOTS * sizeof(*node));
	node = NULL;
	last = 0;
	m = sys_mmap(NULL, SLOTS * sizeof(*node), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed((long)m))
		return (int)(long)m;
	sys3(SYS_madvise, m, SLOTS * sizeof(*node), MADV_NOHUGEPAGE);
	node = m;
	return 0;
}

/* Return the id of the node below `parent`, added if need be. 0: the table is full. */
static uint32_t child(uint32_t parent, uint64_t address)
{
	uint64_t h = (address ^ (uint64_t)parent << 40) * 0x9e3779b97f4a7c15ULL;
	uint32_t i = (uint32_t)(h >> 43);

	for (;; i++) {
		struct node *n = &node[i & (SLOTS - 1)];

		if (!n->id) {
			if (last == NODES)
				return 0;
			*n = (struct node){ address, parent, ++last };
			rec_writer_node(last, parent, address);
			return last;
		}
		if (n->address == address && n->parent == parent)
			return n->id;
	}
}

uint32_t rec_trie_id(const uint64_t *frame, unsigned int count, bool *full)
{
	uint32_t id = 0, next;

	while (count--) {
		next = child(id, frame[count]);
		if (!next) {
			*full = true;
			break;
		}
		id = next;
	}
	return id;
}
