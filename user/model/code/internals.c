// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/code/internals.h"

#include <string.h>

/*
 * malloc() and its relatives end with a jump to these functions (recorder/hook/heap.c and
 * jemalloc's slow paths), so they are not in the stack themselves.
 */
static const struct {
	const char *inner, *outer;
} jumps[] = {
	{ "rec_jemalloc_malloc", "malloc" },	 { "je_malloc_default", "malloc" },
	{ "rec_jemalloc_calloc", "calloc" },	 { "rec_jemalloc_realloc", "realloc" },
	{ "do_rallocx", "realloc" },		 { "rec_jemalloc_memalign", "memalign" },
	{ "je_free_default", "free" },		 { "je_sdallocx_default", "free" },
};

const char *flt_internals_public_name(const char *function)
{
	/* The compiler adds suffixes, such as .part.0, to functions that it splits. */
	size_t i, length = strcspn(function, ".");

	for (i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++)
		if (strlen(jumps[i].inner) == length &&
		    !strncmp(jumps[i].inner, function, length))
			return jumps[i].outer;
	return function;
}
