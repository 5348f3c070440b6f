/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regions.h - faults by the mapping at their address.
 *
 * Add mappings (areas) and faults in the order of time: a fault is counted for the mapping that
 * is at its address when the fault is added. A *region* is a mapping over its lifetime. It stays
 * one region if it grows, shrinks or is split, or if the same is mapped again at the same address.
 * An *image* is the memory of a process between two execs; the caller numbers images from 1.
 *
 * There are extra regions for faults without a known mapping, in memory of other processes, and
 * past the limit on regions. The sum over all regions is therefore exact.
 */
#ifndef FLT_MODEL_REGIONS_H
#define FLT_MODEL_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/fault.h"
#include "event/page_size.h"
#include "index/name_table.h"
#include "index/page_set.h"
#include "model/memory/heat.h"
#include "model/memory/pattern.h"

#define FLT_REGIONS_MAX 16384u

enum flt_region_of {
	/* The values of enum flt_area, and: */
	FLT_REGION_UNKNOWN = __FLT_AREA_MAX,	/* no known mapping */
	FLT_REGION_REMOTE,	/* memory of another process: ptrace, exec's new stack */
	FLT_REGION_OTHERS,	/* all regions past FLT_REGIONS_MAX, of all images */
	__FLT_REGION_OF_LAST
};

struct flt_region_area {
	uint64_t start, end;
	uint8_t of;		/* enum flt_area */
	uint8_t protection;	/* 1 read, 2 write, 4 exec */
	bool shared;
	uint32_t device;	/* device and inode of the file; 0: none, or unknown */
	uint64_t inode;
	uint64_t page;		/* offset of start in the file, in pages */
	const char *name;	/* path, name of anonymous memory, or ""; copied */
	uint32_t token;		/* any value, returned by flt_regions_token() */
};

struct flt_region {
	struct flt_region_area area;	/* its largest extent */
	uint32_t image;
	const char *path;	/* name of its file at that time; NULL: unknown */
	uint64_t kinds[__FLT_KIND_MAX];	/* successful faults, by weight */
	uint64_t minor, major, failed;
	uint64_t refaults;	/* faults on pages brought in before */
	uint64_t latency;	/* ns */
	uint64_t pages;		/* brought in */
	uint64_t distinct;	/* pages brought in, each counted once */
	uint64_t first, last;	/* times */
	struct flt_page_set touched;	/* pages brought in before */
	struct flt_pattern *pattern;	/* NULL: no fault */
};

struct flt_region_image;

struct flt_regions {
	struct flt_page_size page;
	struct flt_region *rows;	/* region n has band n of `heat` */
	uint32_t count, room;
	struct flt_region_image *images;
	uint32_t image_room;
	struct flt_strings *strings;
	/*
	 * Paths by device and inode. The kernel reuses the inode number of a deleted file, so a
	 * later path replaces an earlier one.
	 */
	struct flt_name_table files;
	uint32_t touched_budget;	/* blocks left for the touched pages of all regions */
	uint64_t map_budget;		/* of flt_map_set_new() */
	struct flt_heat heat;
	uint32_t around;	/* pages of a fault-around window */
	uint64_t unknown_reuse;	/* faults that may be refaults: `touched` is full */
};

/*
 * page: of the machine that has the faults. around: most pages that a fault on a file maps, usually
 * 64 KiB. Return -ENOMEM.
 */
int flt_regions_new(struct flt_regions **regions, struct flt_page_size page, uint32_t around);
void flt_regions_free(struct flt_regions *regions);

/*
 * Add an image, or change its pid and name. parent: the image whose mappings it inherits; 0: none.
 * comm is truncated to 15 bytes. Return -ENOMEM, -E2BIG.
 */
int flt_regions_image(struct flt_regions *regions, uint32_t image, uint32_t parent, uint32_t pid,
		      const char *comm);
uint32_t flt_regions_pid(const struct flt_regions *regions, uint32_t image);
const char *flt_regions_comm(const struct flt_regions *regions, uint32_t image);

/* Set the mapping of an address range from now on. Return -ENOMEM. */
int flt_regions_area(struct flt_regions *regions, uint32_t image,
		     const struct flt_region_area *area);
/* Set the name of a file from now on. Areas refer to it by device and inode. Return -ENOMEM. */
int flt_regions_path(struct flt_regions *regions, uint32_t device, uint64_t inode,
		     const char *path);

/* Return the token of the mapping at an address, or ~0 if there is no known mapping. */
uint32_t flt_regions_token(const struct flt_regions *regions, uint32_t image, uint64_t address);

/*
 * Compare the file that a fault names with the known mapping at its address. If the files differ,
 * an earlier mapping of the named file is there again, and is restored. Return -ENOMEM.
 */
int flt_regions_confirm(struct flt_regions *regions, uint32_t image, uint64_t address,
			uint32_t device, uint64_t inode);

/* Count a fault. Without flags for first touch or refault, its kind decides. Return -ENOMEM. */
int flt_regions_fault(struct flt_regions *regions, const struct flt_fault *fault);

/* Parse a name of /proc/PID/maps. Store where the name proper begins: "[anon:x]" is x. */
enum flt_area flt_area_of_name(const char *name, const char **rest, size_t *length);

/* Write "[heap]", "[anon:x]" or the path, as seen from the root directory of the process. */
void flt_region_label(const struct flt_regions *regions, const struct flt_region *region,
		      char *text, size_t size);
const char *flt_region_of_name(unsigned int of);

static inline uint64_t flt_region_faults(const struct flt_region *r)
{
	return r->minor + r->major;
}

#endif
