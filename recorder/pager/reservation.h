/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reservation.h - addresses that the program reserves first and makes accessible later.
 *
 * JVM, V8, Go and others map their heap without access, and then make parts of it accessible by
 * mprotect() or by mmap() with MAP_FIXED. Such pages are PAGE_RESERVED until then. The kernel
 * raises SIGSEGV for accesses, as natively, because they are protected. They have no content.
 *
 * A page that mprotect() makes inaccessible keeps its content, so it is taken out of the limit. It
 * is PAGE_CLOSED then, and reserved again when the program drops its content.
 *
 * Callers hold the pager lock, and there is no freeze.
 */
#ifndef FLT_REC_RESERVATION_H
#define FLT_REC_RESERVATION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Map pages [first, end) anew: empty, and accessible or reserved. What was there is dropped. They
 * are limited then, even if they were taken out of the limit before. Return 0 or -errno. After an
 * error the content may be lost.
 */
int rec_reservation_map(size_t first, size_t end, bool accessible);
/*
 * Note that mprotect() has given access to [first, end). Reserved pages are limited from now on,
 * closed ones remain out of the limit.
 */
void rec_reservation_open(size_t first, size_t end);
/* Take the pages of [first, end) out of the limit, because mprotect() will close them. */
void rec_reservation_close(size_t first, size_t end);
/* Return true if all or some pages of [first, end) are reserved. */
bool rec_reservation_is_all(size_t first, size_t end);
bool rec_reservation_has_any(size_t first, size_t end);

#endif
