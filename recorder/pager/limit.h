/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limit.h - pages under the limit, and pages taken out of it. Callers hold the pager lock.
 *
 * Under a seccomp filter the server makes the system calls of discard, eject and readopt.
 */
#ifndef FLT_REC_LIMIT_H
#define FLT_REC_LIMIT_H

#include <stddef.h>
#include <stdint.h>

/* Drop the content of pages [first, end). They will read as zeros. */
void rec_limit_discard(size_t first, size_t end);
/* Unmap pages [first, end) as the kernel does. Their addresses are not used again. */
void rec_limit_unmap(size_t first, size_t end);
/* Register pages [first, end) with the userfaultfd. Return 0 or -errno. */
int rec_limit_register(size_t first, size_t end);
/*
 * Register the pages of a set; bit 0 is page `first`. Other pages are left alone: a page that is
 * not limited would raise faults that the pager does not serve. Return those that cannot be
 * registered.
 */
uint64_t rec_limit_register_set(size_t first, uint64_t set);
/* Take pages [first, end) out of the limit, with their content. Return 0 or -errno. */
int rec_limit_eject(size_t first, size_t end);
/* Eject `len` bytes at `from` that the program moved to `to` with a raw mremap(). */
void rec_limit_eject_moved(uintptr_t from, uintptr_t to, size_t len);
/* Put unmapped or ejected pages [first, end) under the limit, empty. Return 0 or -errno. */
int rec_limit_adopt(size_t first, size_t end);
/* Put closed pages [first, end) under the limit, reserved. Return 0 or -errno. */
int rec_limit_readopt(size_t first, size_t end);
/* Run the errand that a thread asks for, once. Only the server calls this, without the lock. */
void rec_limit_run_errand(void);

#endif
