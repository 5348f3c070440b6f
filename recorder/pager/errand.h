/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errand.h - system calls that the server makes for a thread under a seccomp filter.
 *
 * The thread stores what it wants and loads from a missing page that nobody else uses. The server
 * finds the fault, runs the errand and fills the page. Two pages take turns, because only the
 * server can drop a page again.
 *
 * A thread holds the pager lock from the question to the answer, so there is one errand at a time.
 */
#ifndef FLT_REC_ERRAND_H
#define FLT_REC_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of limit.h that an errand can ask for. */
enum rec_errand_kind { ERRAND_DISCARD, ERRAND_EJECT, ERRAND_READOPT };

struct rec_errand {
	enum rec_errand_kind kind;
	size_t first, end;
};

#define REC_ERRAND_PAGES 2	/* at the end of the region, before the barrier of freeze.h */

/* Return true if the calling thread must ask the server. */
bool rec_errand_is_needed(void);
/* Let the server run an errand, and return its result. Caller holds the pager lock. */
int rec_errand_ask(enum rec_errand_kind kind, size_t first, size_t end);

/* The server calls the functions below. */

/* Return true if an errand is not finished. Its thread may not have raised the fault yet. */
bool rec_errand_is_asked(void);
/* Return true if an access to this page asks for an errand. */
bool rec_errand_is_at(uintptr_t page);
/* Return the errand to run, or NULL if it was run already. */
const struct rec_errand *rec_errand_take(void);
/* Give the result of the errand that was taken. */
void rec_errand_finish(int result);
/* Let the thread go on that waits at this page. Return false if the kernel refuses for now. */
bool rec_errand_release(uintptr_t page);

#endif
