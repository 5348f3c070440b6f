// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trie.c - nodes of the stack trie. Each is written to the ring once.
 *
 * A hash of (parent, address) with chains. Nodes are stored in the order of their ids, and the
 * table of chains grows with their number: a program with few stacks touches few pages. When
 * there is no room for another node, stacks are truncated at the last frame that has one.
 */
#include "trie.h"

#include "image/image.h"
#include "trie_hash.h"
#include "writer.h"

#include <flt_file.h>
#include <sys/mman.h>

struct node {
	uint64_t address;
	uint32_t parent;
	uint32_t next;		/* id of the next node of the chain, 0 = none */
};

/* A file has no more nodes per image. */
#define NODES FLT_STACK_NODES_MAX
/*
 * Numbers of chains, powers of two. To double them takes a visit of every node, during which all
 * faults wait: at most a few milliseconds, once.
 */
#define CHAINS_FIRST 1024u
#define CHAINS_MOST  (NODES / 4)

struct table {
	struct node node[NODES + 1];	/* by id; [0] is not used */
	uint32_t chain[CHAINS_MOST];	/* id of the first node, 0 = none */
};

static struct table *table;
static uint32_t last, chains;

int rec_trie_init(void)
{
	void *m;

	if (table)
		sys2(SYS_munmap, table, sizeof(*table));
	table = NULL;
	last = 0;
	chains = CHAINS_FIRST;
	m = sys_mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed((long)m))
		return (int)(long)m;
	sys3(SYS_madvise, m, sizeof(*table), MADV_NOHUGEPAGE);
	table = m;
	return 0;
}

static uint32_t *find_chain(uint32_t parent, uint64_t address)
{
	return &table->chain[rec_trie_hash(parent, address) & (chains - 1)];
}

static void chain_up(uint32_t id)
{
	struct node *n = &table->node[id];
	uint32_t *chain = find_chain(n->parent, n->address);

	n->next = *chain;
	*chain = id;
}

static void double_chains(void)
{
	for (uint32_t i = 0; i < chains; i++)
		table->chain[i] = 0;
	chains *= 2;
	for (uint32_t id = 1; id <= last; id++)
		chain_up(id);
}

/* Return the id of the node below `parent`, added if need be. 0: there is no room. */
static uint32_t child(uint32_t parent, uint64_t address)
{
	struct node *n;

	for (uint32_t id = *find_chain(parent, address); id; id = n->next) {
		n = &table->node[id];
		if (n->address == address && n->parent == parent)
			return id;
	}
	if (last == NODES)
		return 0;
	if (last == chains && chains < CHAINS_MOST)
		double_chains();
	table->node[++last] = (struct node){ .address = address, .parent = parent };
	chain_up(last);
	rec_writer_node(last, parent, address);
	return last;
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
