/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touches.h - the pages that each image has touched, for sources that do not report whether a
 * fault is the first touch of a page.
 */
#ifndef FLT_MODEL_TOUCHES_H
#define FLT_MODEL_TOUCHES_H

#include <stdbool.h>
#include <stdint.h>

struct flt_touches;

/* Return NULL if there is no memory. */
struct flt_touches *flt_touches_new(uint64_t page_size);
void flt_touches_free(struct flt_touches *touches);

/*
 * Add an image. After a fork, it has touched the pages of its parent; parent 0: no pages. If there
 * is no memory for the copy, first touches of the child are counted again. Return -ENOMEM.
 */
int flt_touches_image(struct flt_touches *touches, uint32_t image, uint32_t parent);
/* Remove an image that has ended. */
void flt_touches_end(struct flt_touches *touches, uint32_t image);

/*
 * Memory is mapped at [start, end), so its pages are not touched. But the kernel merges anonymous
 * memory with its neighbours, and reports the whole mapping again (perf_event_mmap()). Such a page
 * may have been touched.
 */
void flt_touches_map(struct flt_touches *touches, uint32_t image, uint64_t start, uint64_t end,
		     bool anonymous);
/*
 * Add the page at address. Set *first to true if it was not touched before. Where anonymous memory
 * was mapped since the last touch, *first is false if the fault is major: the kernel reads
 * anonymous pages only from swap. If the limit of memory is reached, *first is false for new pages.
 * Unknown images have no touches. Return -ENOMEM.
 */
int flt_touches_add(struct flt_touches *touches, uint32_t image, uint64_t address, bool major,
		    bool *first);

#endif
