/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procfs.h - read the kernel's own counts of minor and major faults.
 *
 * Without the module, failed faults, retries, kinds and latencies are unknown. The id of a row
 * is made from its pid and start time.
 */
#ifndef FLT_SOURCE_PROCFS_H
#define FLT_SOURCE_PROCFS_H

#include "account/account.h"

/*
 * Read a process with its ended threads (tid 0), or one thread. -ESRCH: not found; -EBADMSG:
 * the line is malformed.
 */
int flt_procfs_row(uint32_t tgid, uint32_t tid, struct flt_row *out);

/* Parse the text of /proc/PID/stat. length excludes a NUL. */
int flt_procfs_parse_stat(const char *text, size_t length, long ticks_per_second,
			  struct flt_row *out);

/* Read the process of a thread id. -ESRCH. */
int flt_procfs_process_of(uint32_t id, uint32_t *tgid);

/* Return the number of a thread in its own PID namespace, 0 if it has ended. */
uint32_t flt_procfs_number_of(uint32_t tgid, uint32_t tid);

/* Return true if the process was killed, is exiting or has ended, waited for or not. */
bool flt_procfs_ends(uint32_t tgid);

/* Return true if all threads of the process have ended, waited for by its parent or not. */
bool flt_procfs_ended(uint32_t tgid);

/* Return true if a thread runs on while another thread of its process ends. */
bool flt_procfs_survives(uint32_t tgid, uint32_t tid);

/* Return the number of seccomp filters of a process. */
unsigned int flt_procfs_filters(uint32_t tgid);

/*
 * Call fn for each thread of a process, or with tgid 0 for each process, until fn returns
 * nonzero, and return that value. A thread may end before the call. -ESRCH, or the -errno of the
 * directory.
 */
int flt_procfs_each(uint32_t tgid, int (*fn)(void *arg, uint32_t id), void *arg);

/*
 * Call fn for each child of a process, zombies included. The cost does not depend on the number
 * of other processes. -EOPNOTSUPP: the kernel has no CONFIG_PROC_CHILDREN.
 */
int flt_procfs_children(uint32_t tgid, int (*fn)(void *arg, uint32_t id), void *arg);

/* Replace the list by all processes, or by the threads of one process. */
int flt_procfs_rows(struct flt_rows *out);
int flt_procfs_threads(uint32_t tgid, struct flt_rows *out);

/*
 * Read the name of the current mapping at an address: a path, "[heap]" and so on; empty for
 * anonymous memory. -ENOENT: nothing is mapped; or the -errno of /proc/PID/maps.
 */
int flt_procfs_file_at(uint32_t tgid, uint64_t address, char *out, size_t size);

/*
 * Read the resident bytes of a process, and the bytes that the process, or its thread tid if not
 * 0, read from storage. The latter may be FLT_PROCFS_UNKNOWN for processes of other users.
 */
#define FLT_PROCFS_UNKNOWN UINT64_MAX
int flt_procfs_memory(uint32_t tgid, uint32_t tid, uint64_t *rss, uint64_t *read);

/* Read the path of a process in the cgroup v2 hierarchy, or in the first hierarchy. */
int flt_procfs_cgroup(uint32_t tgid, char *out, size_t size);

/* Read counters of /proc/vmstat by name; FLT_PROCFS_UNKNOWN if missing; -errno. */
int flt_procfs_vmstat(const char *const *names, uint64_t *out, size_t count);

/*
 * Read the counts of the whole machine since boot from /proc/vmstat. Before Linux 6.5, pgfault
 * counts every attempt of a fault.
 */
int flt_procfs_machine(struct flt_account *out);

#endif
