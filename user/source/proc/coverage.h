/* SPDX-License-Identifier: GPL-2.0-or-later */
/* coverage.h - how a process's memory is mapped: huge or not, on which nodes. From /proc. */
#ifndef FLT_SOURCE_COVERAGE_H
#define FLT_SOURCE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes, of /proc/PID/smaps. */
struct flt_coverage {
	uint64_t huge;		/* mapped by huge entries: anonymous, shmem, file */
	uint64_t eligible;	/* whole aligned 2 MiB in regions with THPeligible */
	uint64_t covered;	/* of huge: in those regions */
	uint64_t resident;	/* Rss of those regions */
};

/* -ESRCH if the process is gone, -EACCES. */
int flt_coverage_read(uint32_t pid, struct flt_coverage *out);
/* The same of text that is one smaps. */
void flt_coverage_parse(char *text, uint64_t huge_size, struct flt_coverage *out);

#define FLT_COVERAGE_NODES 16

/* A line of /proc/PID/numa_maps; pages are counted in 4 KiB, huge ones as many. */
struct flt_node_map {
	uint64_t address;
	char what[64];		/* "heap", "stack", end of a file name, "anon" */
	uint64_t pages[FLT_COVERAGE_NODES];	/* the last for all beyond */
};

/* False: not such a line, or no page of it is there. */
bool flt_node_map_parse(char *line, struct flt_node_map *out);
/* fn for each that has pages; a return other than 0 ends it. -ESRCH, -EACCES, -ENOENT. */
int flt_node_maps_read(uint32_t pid, int (*fn)(void *arg, const struct flt_node_map *map),
		       void *arg);

/*
 * Where the threads of a process ran last: how many of them on each node. -ESRCH.
 * cpu_node(cpu) as below.
 */
int flt_node_threads(uint32_t pid, uint32_t threads[FLT_COVERAGE_NODES]);
/* Nodes of this machine with CPUs or memory, at least 1. */
uint32_t flt_node_count(void);

/*
 * Names that the kernel's tracepoint format gives numbers: out[i] is name of i, size
 * bytes each; those it does not name stay empty. -ENOENT without tracefs.
 */
int flt_trace_names(const char *event, const char *field, char *out, size_t n, size_t size);
/* The same of the text of a format file. */
void flt_trace_names_parse(const char *format, const char *field, char *out, size_t n, size_t size);

#endif
