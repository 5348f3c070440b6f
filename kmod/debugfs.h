/* SPDX-License-Identifier: GPL-2.0-only */
/* debugfs - /sys/kernel/debug/flt: the counters as files, read-only. */
#ifndef FLT_DEBUGFS_H
#define FLT_DEBUGFS_H

/* Cannot fail: a kernel without debugfs has no files, and nothing else suffers. */
void flt_debugfs_init(void);
/* Waits for reads in progress. */
void flt_debugfs_exit(void);

#endif
