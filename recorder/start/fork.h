/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fork.h - forked children are recorded as well. */
#ifndef FLT_REC_FORK_H
#define FLT_REC_FORK_H

/* Register handlers for fork(), at the first call only. Call before any other library does. */
void rec_fork_install(void);

#endif
