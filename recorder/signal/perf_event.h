/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event.h - perf events that signal faults in the region as they are raised. */
#ifndef FLT_REC_PERF_EVENT_H
#define FLT_REC_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Open an event of a thread's faults that pass the filter: those in the kernel, or
 * those in user mode. owner_type, owner: F_OWNER_TID or F_OWNER_PID and the task that gets
 * `sig` (0 = SIGIO). Return a mapping that keeps the event alive, or NULL.
 */
void *rec_perf_event_open(uint32_t tid, int filter, bool kernel, int owner_type, int owner,
			  int sig);
/* Close an event and clear the pointer to it. Several threads may call this. */
void rec_perf_event_close(void **event);
/*
 * Return true if the filter also suppresses the signal: Linux 6.10 or later. The caller has
 * blocked `sig` and has no handler for it yet, or one that ignores stray signals.
 */
bool rec_perf_event_is_filtered(int sig);

#endif
