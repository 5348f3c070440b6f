/* SPDX-License-Identifier: GPL-2.0-or-later */
/* range.h - a range of the program's addresses, as pages of the region. */
#ifndef FLT_REC_RANGE_H
#define FLT_REC_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set by mlockall(): new memory must stay resident, so it is not limited any more. */
extern bool rec_range_all_locked __attribute__((visibility("hidden")));

/* Locks that are held: map lock and pager lock, with all signals blocked. */
struct rec_held {
	uint64_t signals;
};
/* Take both locks. Wait until there is no freeze. */
struct rec_held rec_range_lock(void);
void rec_range_unlock(struct rec_held h);

/* Return true if rounding up to pages would overflow. The kernel reports the error then. */
bool rec_range_overflows(size_t len);
/* Get the part of [a, a + len) in the region, as pages. Return false if there is none. */
bool rec_range_pages(const void *a, size_t len, size_t *first, size_t *end);
/* Tell the compiler that a function does not read the memory of its first argument. */
#if __GNUC__ >= 11
#define REC_READS_NOTHING __attribute__((access(none, 1)))
#else
#define REC_READS_NOTHING
#endif

/* Return true if the program did not map all of [a, a + len), although the kernel has it. */
bool rec_range_has_holes(const void *a, size_t len) REC_READS_NOTHING;
/* Return true if the region has all of [a, a + len). */
bool rec_range_is_inside(const void *a, size_t len) REC_READS_NOTHING;
/* Return true if all of the pages are limited: none is reserved or taken out of the limit. */
bool rec_range_is_limited(size_t first, size_t end);
/* Return true if the limited memory has used up M. New memory is not limited then. */
bool rec_range_is_full(void);
/* Allocate pages of the range that the program did not map. Caller holds the map lock. */
void rec_range_take(size_t first, size_t end);
/* Return true if the program has nothing in any of these pages. */
bool rec_range_is_unmapped(size_t first, size_t end);
/*
 * Note that another mapping, which the kernel serves, is in these pages now. Their content is
 * gone or was discarded, and no mapping gets these addresses again.
 */
void rec_range_replaced(size_t first, size_t end);
/* Discard and free pages that the program unmapped. Caller holds both locks. */
void rec_range_unmap(size_t first, size_t end);
/* Take all limited pages of [a, a + len) out of the limit, with their content. Takes the locks. */
void rec_range_eject(const void *a, size_t len) REC_READS_NOTHING;
/* The same for pages, whose unmapped ones stay as they are. Caller holds both locks. */
void rec_range_eject_pages(size_t first, size_t end);
/* Return the result of a raw system call as libc does: -1 and errno on error. */
long rec_range_result(long ret);

#endif
