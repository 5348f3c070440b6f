/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procfs.h - minor and major faults as the kernel itself counts them.
 *
 * All that is known without the module: no failed faults, retries, kinds or
 * latencies. A row's id is made of its pid and start time.
 */
#ifndef FLT_SOURCE_PROCFS_H
#define FLT_SOURCE_PROCFS_H

#include "account/account.h"

/*
 * A process (tid 0), its threads that ended included, or one thread. -ESRCH if
 * there is none, -EBADMSG if the line is not as it should be.
 */
int flt_procfs_row(uint32_t tgid, uint32_t tid, struct flt_row *out);

/* The text of /proc/PID/stat, for the above and for tests. length excludes a NUL. */
int flt_procfs_parse_stat(const char *text, size_t length, long ticks_per_second,
			  struct flt_row *out);

/* The process that a thread id belongs to, itself for a process. -ESRCH. */
int flt_procfs_process_of(uint32_t id, uint32_t *tgid);

/* It has been killed, exits or has ended, whether or not it has been waited for. */
bool flt_procfs_ends(uint32_t tgid);

/*
 * Calls fn with each thread of a process, the first one included, or with tgid 0 with
 * each process, until it returns other than 0, and returns that. What it is called
 * with may end meanwhile. -ESRCH, or the -errno of the directory.
 */
int flt_procfs_each(uint32_t tgid, int (*fn)(void *arg, uint32_t id), void *arg);

/*
 * The same with each child of a process, zombies too. Nothing but the process is looked
 * at, however many others there are. -EOPNOTSUPP: a kernel without CONFIG_PROC_CHILDREN.
 */
int flt_procfs_children(uint32_t tgid, int (*fn)(void *arg, uint32_t id), void *arg);

/* Replace what is in the list: all processes; the threads of one. */
int flt_procfs_rows(struct flt_rows *out);
int flt_procfs_threads(uint32_t tgid, struct flt_rows *out);

/*
 * What is mapped at an address of a process now: a path, "[heap]" and the like; empty
 * for anonymous memory. -ENOENT: nothing is; or the -errno of /proc/PID/maps.
 */
int flt_procfs_file_at(uint32_t tgid, uint64_t address, char *out, size_t size);

/*
 * Resident bytes of a process, and bytes that it, or its thread tid (not 0), read from
 * storage; of other users' processes those may be FLT_PROCFS_UNKNOWN.
 */
#define FLT_PROCFS_UNKNOWN UINT64_MAX
int flt_procfs_memory(uint32_t tgid, uint32_t tid, uint64_t *rss, uint64_t *read);

/* Its path in the cgroup v2 hierarchy, or in the first there is. */
int flt_procfs_cgroup(uint32_t tgid, char *out, size_t size);

/* Counters of /proc/vmstat by name, FLT_PROCFS_UNKNOWN where this kernel has none such; -errno. */
int flt_procfs_vmstat(const char *const *names, uint64_t *out, size_t count);

/*
 * The whole machine since boot, from /proc/vmstat. Before Linux 6.5 pgfault
 * counts a fault once per attempt.
 */
int flt_procfs_machine(struct flt_account *out);

#endif
