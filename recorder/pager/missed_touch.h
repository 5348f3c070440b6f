/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missed_touch.h - pages whose touch the filter has let pass as one of a granted page, but which
 * the kernel does not fill, because the grant has ended.
 *
 * Their threads wait in faults without a signal, and the server would find them late.
 */
#ifndef FLT_REC_MISSED_TOUCH_H
#define FLT_REC_MISSED_TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Note pages of a set, and wake the server; bit 0 is page `first`. Callers hold the pager lock. */
void rec_missed_touch_note(size_t first, uint64_t set);
/* Return true if a page is one of the last that were noted. Needs no lock. */
bool rec_missed_touch_is_noted(size_t page);
/* Forget all pages, in a forked child. */
void rec_missed_touch_forget(void);

#endif
