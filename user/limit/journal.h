/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.h - changes of the machine that must be undone, noted in a file before each is made.
 *
 * A limited run changes limits, sysctls and swap. Its journal, /run/flt/limit.PID, names each
 * change, so that any later process can undo them: the guard when fltctl ends, or `fltctl check`
 * after both were killed. The journal of a run is locked by flock(2) while the run or its guard
 * lives, because both share one open file description. An unlocked journal is a leftover.
 *
 * A swap device and a sysctl serve all runs. If another run is alive when they are due to be
 * undone, they move to that run's journal.
 *
 * Lines, with tabs between the words. They are undone from the last to the first, limits before
 * what serves all runs:
 *
 *	file PATH OLD		write OLD to PATH
 *	sysctl PATH OLD NEW	write OLD to PATH, if PATH still contains NEW
 *	controller DIR		disable the memory controller for children of the cgroup DIR
 *	device NAME		end swapping to /dev/NAME and remove the device
 *	group DIR PARENT	move the processes of the cgroup DIR to PARENT, and remove DIR
 */
#ifndef FLT_LIMIT_JOURNAL_H
#define FLT_LIMIT_JOURNAL_H

#include <stddef.h>

#include "text/errmsg.h"

#define FLT_JOURNAL_DIRECTORY "/run/flt"

struct flt_journal;

/* Create the journal of this process. Return 0 or -errno: -EACCES without root. */
int flt_journal_new(struct flt_journal **journal, struct flt_errmsg *e);
/* Forget the journal without undoing it. */
void flt_journal_free(struct flt_journal *journal);

/* Note a change as a line of the journal, on disk before the call returns. Return 0 or -errno. */
int flt_journal_note(struct flt_journal *journal, const char *const *words, struct flt_errmsg *e);

/*
 * Hold the lock that serializes decisions about swap and sysctls among all runs. Blocks. Return a
 * descriptor, which close() releases, or -errno.
 */
int flt_journal_lock(void);

/*
 * Undo everything in the journal and remove it. What cannot be undone stays in the journal, and e
 * names the first failure. Return 0 or -errno.
 */
int flt_journal_undo(struct flt_journal *journal, struct flt_errmsg *e);

/*
 * Undo the leftovers of runs that were killed together with their guards. *found receives their
 * number. Return 0 or the first -errno.
 */
int flt_journal_repair(size_t *found, struct flt_errmsg *e);
/* Return the number of leftovers. */
size_t flt_journal_leftovers(void);

#endif
