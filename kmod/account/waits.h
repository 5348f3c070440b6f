/* SPDX-License-Identifier: GPL-2.0-only */
/* waits - measure what faults wait for (delays.h, mmap_lock.h) while a session wants to know. */
#ifndef FLT_WAITS_H
#define FLT_WAITS_H

/* The caller holds the lock of the sessions. May sleep. get: return 0 or an error. */
int flt_waits_get(void);
void flt_waits_put(void);

#endif
