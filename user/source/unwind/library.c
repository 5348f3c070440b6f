// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/unwind/library.h"

#include <string.h>

bool flt_unwind_stack_word(const struct flt_unwind_stack *stack, uint64_t address, uint64_t *word)
{
	const struct flt_unwind_sample *s = stack->sample;
	uint64_t sp = s->regs[FLT_UNWIND_SP], at = address - sp;

	if (address < sp || s->size < sizeof(*word) || at > s->size - sizeof(*word))
		return false;
	memcpy(word, (const unsigned char *)s->stack + at, sizeof(*word));
	*word = flt_unwind_unsigned(*word);
	return true;
}
