// SPDX-License-Identifier: GPL-2.0-or-later
/* Test that the recorder's stack trie has short chains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../recorder/trace/trie_hash.h"

#define CHAINS 1024u

static uint32_t length[CHAINS];

static void begin(void)
{
	for (unsigned int i = 0; i < CHAINS; i++)
		length[i] = 0;
}

static void add(uint32_t parent, uint64_t address)
{
	length[rec_trie_hash(parent, address) % CHAINS]++;
}

/* As many nodes as chains. If each chain is equally likely, the longest has about six. */
static void check(void)
{
	for (unsigned int i = 0; i < CHAINS; i++)
		assert_in_range(length[i], 0, 16);
}

/* Each node is the parent of the next one. */
static void recursion(void **state)
{
	(void)state;
	begin();
	for (uint32_t i = 0; i < CHAINS; i++)
		add(i, 0x555555559a3d);
	check();
}

/* Two functions that call each other. */
static void mutual_recursion(void **state)
{
	(void)state;
	begin();
	for (uint32_t i = 0; i < CHAINS; i++)
		add(i, i % 2 ? 0x555555559a3d : 0x55555555c0f0);
	check();
}

/* One caller with many places of call. */
static void many_children(void **state)
{
	(void)state;
	begin();
	for (uint32_t i = 0; i < CHAINS; i++)
		add(7, 0x7ffff7d00000 + 16 * i);
	check();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion),
		cmocka_unit_test(mutual_recursion),
		cmocka_unit_test(many_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
