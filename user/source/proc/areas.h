/* SPDX-License-Identifier: GPL-2.0-or-later */
/* areas.h - the mappings of a process with the numbers of pages that smaps counts. */
#ifndef FLT_SOURCE_AREAS_H
#define FLT_SOURCE_AREAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum flt_present_class {
	FLT_PRESENT_ANON = 0,
	FLT_PRESENT_FILE,
	FLT_PRESENT_SHMEM,
	FLT_PRESENT_HUGETLB,	/* not part of Rss */
	__FLT_PRESENT_CLASSES
};

/* Numbers of pages. */
struct flt_present_sums {
	uint64_t rss, swap;
	uint64_t by[__FLT_PRESENT_CLASSES];
	uint64_t shared, huge;	/* of rss; the rest is private, or mapped by small pages */
};

struct flt_present_area {
	uint64_t start, end;
	uint64_t offset;	/* of start in the file */
	char name[256];		/* as in /proc/PID/maps, shortened */
	bool file;		/* a file, or shared memory: a fault may map neighbours, too */
	bool writable;
	bool shared;		/* MAP_SHARED */
	bool heap;
	uint32_t page_size;	/* of hugetlb, else of the machine */
	enum flt_present_class of;	/* of pages that are not anonymous */
	struct flt_present_sums sums;	/* by smaps */
};

struct flt_areas {
	struct flt_present_area *all;
	uint32_t count, room;
};

/* Devices of tmpfs and of shared memory without a name. */
struct flt_areas_shmem {
	uint64_t *device;	/* major << 32 | minor */
	size_t count;
};

int flt_areas_shmem_read(struct flt_areas_shmem *shmem, uint32_t pid);
/* Replace the list. -ESRCH, -EACCES. */
int flt_areas_read(struct flt_areas *areas, uint32_t pid, const struct flt_areas_shmem *shmem);
/* Return true if the mappings and all numbers are equal. */
bool flt_areas_same(const struct flt_areas *a, const struct flt_areas *b);

#endif
