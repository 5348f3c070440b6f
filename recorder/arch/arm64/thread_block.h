/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_THREAD_BLOCK_H
#define FLT_REC_ARM64_THREAD_BLOCK_H

static inline char *rec_thread_block(char *stack, char *top)
{
	(void)top;
	/*
	 * errno and the like are above the thread pointer, after the variables of the program. So
	 * use the low end of the stack, which no function reaches. libc's description of the
	 * thread is below the thread pointer.
	 */
	return stack + 8192;
}

#endif
