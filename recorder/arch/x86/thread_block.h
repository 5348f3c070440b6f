/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_THREAD_BLOCK_H
#define FLT_REC_X86_THREAD_BLOCK_H

static inline char *rec_thread_block(char *stack, char *top)
{
	char *block = top + 2048;

	(void)stack;
	/* %fs:0 must point to itself. errno and the like are just below. */
	*(char **)block = block;
	return block;
}

#endif
