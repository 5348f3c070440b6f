/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history.h - recorded faults, and the order that is replayed. Callers hold the lock. */
#ifndef FLTUFFD_HISTORY_H
#define FLTUFFD_HISTORY_H

#include "pager.h"

/* Record a fault, if the pager records faults and has room. */
void fltuffd_note(struct fltuffd *p, const struct fltuffd_record *r);
/*
 * After a fault on `page`, store up to n pages that come next in the replayed order. Return
 * their number.
 */
size_t fltuffd_next(struct fltuffd *p, size_t page, uint32_t *out, size_t n);

#endif
