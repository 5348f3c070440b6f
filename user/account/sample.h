/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample.h - how much memory a process used in one window of time, whoever found out.
 *
 * The plain struct between sources, models and commands. "Referenced" is bytes of
 * pages that were used in the window, at the size they are mapped. Bytes unless said
 * otherwise; what a method does not know is not in .has and is 0.
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
	uint64_t duration;	/* ns that taking it took */
	uint64_t held_max;	/* ns, longest that the process's mmap_lock was held; 0: not known */
	uint64_t start;		/* of the process, CLOCK_BOOTTIME ns; 0: not known */
	uint64_t key, index, round;	/* of the module's tracker, else 0 */
	uint64_t nth;		/* window of the run, from 1: who asked for samples numbers them */
	uint32_t tgid;
	char comm[FLT_COMM_LEN + 1];
	uint32_t has;		/* FLT_SAMPLE_* */
	uint32_t flags;		/* FLT_WSS_* of <linux/flt.h> */
	uint64_t rss, pss, huge;
	uint64_t referenced;
	uint64_t anon, file, shmem;		/* of referenced */
	uint64_t area[__FLT_AREA_MAX];		/* the same by enum flt_area */
	uint64_t node[FLT_SAMPLE_NODES];	/* the same by NUMA node */
	uint64_t written;	/* since it was last looked at, which is about the window */
	uint64_t first_touch, refault, major;
	uint64_t pages, special;	/* looked at, passed over */
	uint64_t hugetlb, device;	/* mappings passed over */
	uint64_t left;		/* mapped, but the method cannot tell whether used */
};

/* Owned: released by flt_samples_free(). */
struct flt_samples {
	struct flt_sample *sample;
	size_t count;
	size_t room;
};

int flt_samples_add(struct flt_samples *samples, const struct flt_sample *sample);
void flt_samples_free(struct flt_samples *samples);

/* One mapping of a process, in one window. */
struct flt_sample_area {
	uint64_t start, end;
	uint64_t rss, pss, referenced;
	uint32_t kind;		/* enum flt_area */
	char name[FLT_SYMBOL_LEN * 4];	/* as /proc/PID/maps has it, cut */
};

struct flt_sample_areas {
	struct flt_sample_area *area;
	size_t count;
	size_t room;
};

int flt_sample_areas_add(struct flt_sample_areas *areas, const struct flt_sample_area *area);
void flt_sample_areas_free(struct flt_sample_areas *areas);

/* One word each: "heap", "stack"; "other" past the end. */
const char *flt_area_name(uint32_t area);

#endif
