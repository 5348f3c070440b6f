/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guard.h - pages of the region that the program did not map. Callers hold the pager lock. */
#ifndef FLT_REC_GUARD_H
#define FLT_REC_GUARD_H

#include <stddef.h>

/* Make pages [first, end) accessible and empty, because the program maps them. */
void rec_guard_map(size_t first, size_t end);
/* Mark pages [first, end) as unmapped. The caller has discarded their content. */
void rec_guard_unmap(size_t first, size_t end);
/* Make all guard pages accessible, so that mapping them takes no system call. */
void rec_guard_open(void);
/* Make accesses to an unmapped page raise SIGSEGV. Call at the first access. */
void rec_guard_raise(size_t page);

#endif
