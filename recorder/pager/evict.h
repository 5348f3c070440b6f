/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evict.h - keep the resident pages at or below the limit. Callers hold the pager lock. */
#ifndef FLT_REC_EVICT_H
#define FLT_REC_EVICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Evict until this many more pages fit below the limit, or no page can leave. */
void rec_evict_make_room(size_t pages);
/*
 * Return false if a new page must wait, at most until the freeze ends, because the limit is
 * exceeded by one batch already. tid, since: the page's fault.
 */
bool rec_evict_may_exceed(uint32_t tid, uint64_t since);

#endif
