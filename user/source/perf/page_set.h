/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_set.h - the pages of one image that were touched: tells a first touch
 * from a later one. Eight bytes a page and a little.
 */
#ifndef FLT_PAGE_SET_H
#define FLT_PAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flt_page_set {
	uint64_t *slots;	/* page number + 1; 0: empty */
	size_t mask, used;
};

/* 1: it was not there; 0: it was; -ENOMEM. */
int flt_page_set_add(struct flt_page_set *set, uint64_t page);
/* Pages in [first, last) are new again. */
void flt_page_set_clear(struct flt_page_set *set, uint64_t first, uint64_t last);
int flt_page_set_copy(struct flt_page_set *to, const struct flt_page_set *from);
void flt_page_set_free(struct flt_page_set *set);

#endif
