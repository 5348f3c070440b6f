/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* loader.h - pages read from the backing or the private file into the region. */
#ifndef FLTUFFD_LOADER_H
#define FLTUFFD_LOADER_H

#include "pager.h"

#define FLTUFFD_RUN 256u	/* most pages of one call */
/* Size of the buffer: a run, and one page to write evicted pages back. */
#define FLTUFFD_BUFFER_BYTES ((FLTUFFD_RUN + 1) * FLT_PAGE)

/*
 * Fill an ABSENT page, and up to `more` absent pages that follow it. Caller holds the lock;
 * it is released meanwhile. write: the fault is a store. asked: a thread waits for the page,
 * else it counts as prefetched. Return -errno if the first page could not be filled.
 */
int fltuffd_load_run(struct fltuffd *p, size_t page, unsigned int more, bool write, bool asked,
		     char *buffer);
/* Make accesses to a page raise a signal, because the backing returned `err` for it. */
void fltuffd_break_page(struct fltuffd *p, size_t page, int err);
/* Report a broken page to config.on_error. Caller holds the lock; it is released meanwhile. */
void fltuffd_report(struct fltuffd *p, size_t page, int err);

#endif
