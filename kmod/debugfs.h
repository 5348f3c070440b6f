/* SPDX-License-Identifier: GPL-2.0-only */
/* debugfs - counters, hooks, processes and working sets as files in /sys/kernel/debug/flt. */
#ifndef FLT_DEBUGFS_H
#define FLT_DEBUGFS_H

/* Cannot fail: without debugfs there are no files, and everything else works. */
void flt_debugfs_init(void);
/* Remove all files. Waits for reads in progress. */
void flt_debugfs_exit(void);

#endif
