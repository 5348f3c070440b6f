/* SPDX-License-Identifier: GPL-2.0-or-later */
/* relocation.h - pages of a mapping that moves within the region. */
#ifndef FLT_REC_RELOCATION_H
#define FLT_REC_RELOCATION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Move the content of pages [first, end) to the empty pages from `to` on. Return false if
 * some pages stayed. Caller holds the map lock and the pager lock; there is no freeze.
 */
bool rec_relocation_move(size_t first, size_t end, size_t to);

#endif
