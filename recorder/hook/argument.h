/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argument.h - structs that the program gives to a system call. The kernel fails with EFAULT if it
 * cannot read one. The recorder must not die by it.
 */
#ifndef FLT_REC_ARGUMENT_H
#define FLT_REC_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copy an argument. Return false if the kernel could not read it. A filtered image may not ask the
 * kernel, so there a bad pointer raises SIGSEGV.
 */
bool rec_argument_read(void *to, const void *from, size_t bytes)
	__attribute__((visibility("hidden")));

#endif
