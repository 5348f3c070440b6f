/* SPDX-License-Identifier: GPL-2.0-or-later */
/* start.h - begin to record this process. */
#ifndef FLT_REC_START_H
#define FLT_REC_START_H

/*
 * Begin to record, at the first call only. If that fails, the process stays as it was,
 * unlimited, and fltctl is told the reason: a program is never refused or aborted.
 */
void rec_start(void);

#endif
