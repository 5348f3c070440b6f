/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grant_choice.h - which pages beside a first touch are granted. Callers hold the pager lock. */
#ifndef FLT_REC_GRANT_CHOICE_H
#define FLT_REC_GRANT_CHOICE_H

#include <stddef.h>
#include <stdint.h>

enum rec_grant_direction { REC_GRANT_NEITHER, REC_GRANT_UP, REC_GRANT_DOWN };

/*
 * Return the direction in which a thread touches pages in sequence, if it does. behind: the page
 * behind its last touch.
 */
enum rec_grant_direction rec_grant_direction(size_t behind, size_t page);
/* Return the bits of up to `pages` untouched pages beside a page in its cluster. */
uint64_t rec_grant_choose(size_t page, unsigned int pages, enum rec_grant_direction d);

#endif
