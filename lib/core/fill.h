/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fill.h - content for a missing page.
 *
 * Results of all functions:
 *	0		the page is filled; its waiters were woken, unless mode says otherwise
 *	-EEXIST		the page is already there; its waiters were woken
 *	-EAGAIN		the kernel still changes the address space; try again later
 *	other -errno	the page cannot be filled, because its mapping or its process is gone
 *			(-ENOENT, -EINVAL, -ESRCH); waiters were woken to find out themselves
 */
#ifndef FLT_CORE_FILL_H
#define FLT_CORE_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fill with a copy of `content`. mode: UFFDIO_COPY_MODE_*. */
int flt_fill_copy(int uffd, uintptr_t page, const void *content, uint64_t mode);
/*
 * Fill with zeros. write: the program is about to store to the page. wake: wake the waiters of a
 * page that was filled.
 */
int flt_fill_zero(int uffd, uintptr_t page, bool write, bool wake);

#endif
