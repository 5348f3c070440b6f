/* SPDX-License-Identifier: GPL-2.0-or-later */
/* residency.h - accounts of resident and evicted pages. Callers hold the pager lock. */
#ifndef FLT_REC_RESIDENCY_H
#define FLT_REC_RESIDENCY_H

#include <stddef.h>

/* Count a page in that became resident. Its marks are cleared. */
void rec_residency_enter(size_t page);
/* Count a page out that leaves the region or is dropped. The caller sets its new state. */
void rec_residency_leave(size_t page);
/* Copy the accounts to the totals that fltctl reads. */
void rec_residency_publish(void);

#endif
