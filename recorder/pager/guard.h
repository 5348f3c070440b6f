/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guard.h - pages of the region that the program did not map. Callers hold the pager lock. */
#ifndef FLT_REC_GUARD_H
#define FLT_REC_GUARD_H

#include <stddef.h>

/* The program maps pages [first, end). They are empty. */
void rec_guard_map(size_t first, size_t end);
/* The program unmapped pages [first, end). Their content was discarded before. */
void rec_guard_unmap(size_t first, size_t end);
/* The program accessed an unmapped page: make accesses to it raise SIGSEGV. */
void rec_guard_raise(size_t page);

#endif
