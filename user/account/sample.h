/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.h - the memory that a process used in one window of time, by any method.
 *
 * Sources fill this struct; models and commands read it. "Referenced" is the size of the
 * pages used in the window, at the size of their mapping. Sizes are bytes unless noted. A
 * value that the method does not know is 0 and not in .has.
 */
#ifndef FLT_SAMPLE_H
#define FLT_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/flt.h>

#define FLT_SAMPLE_NODES 16

enum flt_sample_has {
	FLT_SAMPLE_RSS = 1 << 0,
	FLT_SAMPLE_PSS = 1 << 1,
	FLT_SAMPLE_REFERENCED = 1 << 2,
	FLT_SAMPLE_KINDS = 1 << 3,	/* anon, file, shmem */
	FLT_SAMPLE_AREAS = 1 << 4,
	FLT_SAMPLE_NODE = 1 << 5,
	FLT_SAMPLE_FAULTS = 1 << 6,	/* first_touch, refault, major */
	FLT_SAMPLE_WRITTEN = 1 << 7,
	FLT_SAMPLE_HUGE = 1 << 8,	/* of rss */
};

struct flt_sample {
	uint64_t time;		/* CLOCK_MONOTONIC ns, end of the window */
	uint64_t window;	/* ns */
	uint64_t duration;	/* ns to take the sample */
	uint64_t held_max;	/* ns, longest hold of the process's mmap_lock; 0: unknown */
	uint64_t start;		/* of the process, CLOCK_BOOTTIME ns; 0: unknown */
	uint64_t key, index, round;	/* of the module's tracker, else 0 */
	uint64_t nth;		/* window of the run, from 1; set by the command */
	uint32_t tgid;
	char comm[FLT_COMM_LEN + 1];
	uint32_t has;		/* FLT_SAMPLE_* */
	uint32_t flags;		/* FLT_WSS_* of <linux/flt.h> */
	uint64_t rss, pss, huge;
	uint64_t referenced;
	uint64_t anon, file, shmem;		/* of referenced */
	uint64_t area[__FLT_AREA_MAX];		/* the same by enum flt_area */
	uint64_t node[FLT_SAMPLE_NODES];	/* the same by NUMA node */
	uint64_t written;	/* since the last reading, about one window */
	uint64_t first_touch, refault, major;
	uint64_t pages, special;	/* entries read, entries skipped */
	uint64_t hugetlb, device;	/* skipped mappings */
	uint64_t left;		/* mapped, but the method cannot tell whether used */
};

/* Free with flt_samples_free(). */
struct flt_samples {
	struct flt_sample *sample;
	size_t count;
	size_t room;
};

int flt_samples_add(struct flt_samples *samples, const struct flt_sample *sample);
void flt_samples_free(struct flt_samples *samples);

/* A mapping of a process in one window. */
struct flt_sample_area {
	uint64_t start, end;
	uint64_t rss, pss, referenced;
	uint32_t kind;		/* enum flt_area */
	char name[FLT_SYMBOL_LEN * 4];	/* as in /proc/PID/maps, truncated */
};

struct flt_sample_areas {
	struct flt_sample_area *area;
	size_t count;
	size_t room;
};

int flt_sample_areas_add(struct flt_sample_areas *areas, const struct flt_sample_area *area);
void flt_sample_areas_free(struct flt_sample_areas *areas);

/* Return a name of one word: "heap", "stack"; "other" for an invalid area. */
const char *flt_area_name(uint32_t area);

#endif
