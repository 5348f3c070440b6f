/* SPDX-License-Identifier: GPL-2.0-or-later */
/* coverage.h - read from /proc which memory is in huge pages and on which node. */
#ifndef FLT_SOURCE_COVERAGE_H
#define FLT_SOURCE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes, of /proc/PID/smaps. */
struct flt_coverage {
	uint64_t huge;		/* mapped by huge entries: anonymous, shmem, file */
	uint64_t eligible;	/* aligned units of a huge page in regions with THPeligible */
	uint64_t covered;	/* the part of huge in these regions */
	uint64_t resident;	/* Rss of these regions */
};

/* -ESRCH: the process has ended; -EACCES. */
int flt_coverage_read(uint32_t pid, struct flt_coverage *out);
/* The same for the text of an smaps file. */
void flt_coverage_parse(char *text, uint64_t huge_size, struct flt_coverage *out);

#define FLT_COVERAGE_NODES 16

/* A line of /proc/PID/numa_maps. A page of hugetlb counts as the pages that it has. */
struct flt_node_map {
	uint64_t address;
	char what[64];		/* "heap", "stack", end of a file name, "anon" */
	uint64_t pages[FLT_COVERAGE_NODES];	/* the last entry sums all further nodes */
};

/*
 * page: bytes of a page of the machine. Return false for an invalid line, or a mapping without
 * present pages.
 */
bool flt_node_map_parse(char *line, uint64_t page, struct flt_node_map *out);
/* Call fn for each mapping with pages until fn returns nonzero. -ESRCH, -EACCES, -ENOENT. */
int flt_node_maps_read(uint32_t pid, int (*fn)(void *arg, const struct flt_node_map *map),
		       void *arg);

/*
 * Count the threads of a process by the node on which each ran last. -ESRCH.
 */
int flt_node_threads(uint32_t pid, uint32_t threads[FLT_COVERAGE_NODES]);
/* Return the number of nodes with CPUs or memory, at least 1. */
uint32_t flt_node_count(void);

/*
 * Read the names of an enum from the format of a tracepoint: out[i] is the name of i, of size
 * bytes. Values without a name are empty strings. -ENOENT without tracefs.
 */
int flt_trace_names(const char *event, const char *field, char *out, size_t n, size_t size);
/* The same for the text of a format file. */
void flt_trace_names_parse(const char *format, const char *field, char *out, size_t n, size_t size);

#endif
