/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regions.h - faults by what was mapped where they happened.
 *
 * Fed in order of time with mappings as they become known (areas) and with faults;
 * a fault belongs to what was mapped at its address at that moment, whatever is
 * there later. A *region* is a mapping as long as it is the same: growing, shrinking
 * and being split leave it one, and so does unmapping and mapping the same again at
 * the same place. An *image* is the memory of a process between two execs, numbered
 * from 1 by the caller.
 *
 * Faults where nothing is known to be mapped, in memory of other processes, and
 * past the bound on regions go to regions of their own, so that the sum is right.
 */
#ifndef FLT_MODEL_REGIONS_H
#define FLT_MODEL_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/fault.h"
#include "index/page_set.h"
#include "model/memory/heat.h"
#include "model/memory/pattern.h"

#define FLT_REGIONS_MAX 16384u

enum flt_region_of {
	/* As enum flt_area, then: */
	FLT_REGION_UNKNOWN = __FLT_AREA_MAX,	/* nothing known to be mapped there */
	FLT_REGION_REMOTE,	/* memory of another process: ptrace, exec's new stack */
	FLT_REGION_OTHERS,	/* of all images, past the bound */
	__FLT_REGION_OF_LAST
};

struct flt_region_area {
	uint64_t start, end;
	uint8_t of;		/* enum flt_area */
	uint8_t protection;	/* 1 read, 2 write, 4 exec */
	bool shared, locked;
	uint32_t device;	/* with inode: which file; 0: none or not known */
	uint64_t inode;
	uint64_t page;		/* offset of start in the file, in pages */
	const char *name;	/* a path, the name of anonymous memory, or ""; kept */
	uint32_t token;		/* of the caller, for flt_regions_token() */
};

struct flt_region {
	struct flt_region_area area;	/* its greatest extent */
	uint32_t image;
	const char *path;	/* what its file was called then; NULL: not known */
	uint64_t kinds[__FLT_KIND_MAX];	/* ended well, by weight */
	uint64_t minor, major, failed;
	uint64_t refaults;	/* of a page that had been brought in before */
	uint64_t latency;	/* ns */
	uint64_t pages;		/* brought in */
	uint64_t distinct;	/* of them, each once */
	uint64_t first, last;	/* times */
	struct flt_page_set touched;	/* pages brought in before */
	struct flt_pattern *pattern;	/* NULL: no fault */
};

struct flt_region_image;

struct flt_regions {
	struct flt_region *rows;	/* by number, which is also that of the band of heat */
	uint32_t count, room;
	struct flt_region_image *images;
	uint32_t image_room;
	struct flt_strings *strings;
	struct flt_files *files;
	uint32_t touched_budget;	/* blocks left for the touched pages of all regions */
	struct flt_heat heat;
	uint32_t around;	/* pages of a fault-around window */
	uint64_t unknown_reuse;	/* faults of which nobody remembers whether they are refaults */
};

/* around: pages that a file fault maps at most, 16 as a rule. -ENOMEM. */
int flt_regions_new(struct flt_regions **regions, uint32_t around);
void flt_regions_free(struct flt_regions *regions);

/* parent: whose mappings it has so far, 0: none. comm is cut to 15 bytes. -ENOMEM, -E2BIG. */
int flt_regions_image(struct flt_regions *regions, uint32_t image, uint32_t parent, uint32_t pid,
		      const char *comm);
uint32_t flt_regions_pid(const struct flt_regions *regions, uint32_t image);
const char *flt_regions_comm(const struct flt_regions *regions, uint32_t image);

/* What is mapped there from now on. -ENOMEM. */
int flt_regions_area(struct flt_regions *regions, uint32_t image, const struct flt_region_area *area);
/* The name of a file that areas have by number, from now on. -ENOMEM. */
int flt_regions_path(struct flt_regions *regions, uint32_t device, uint64_t inode, const char *path);

/* Is anything known to be mapped at address; the token of it, ~0: no. */
uint32_t flt_regions_token(const struct flt_regions *regions, uint32_t image, uint64_t address);

/*
 * What the fault itself says is mapped there. If it is another file than what was
 * told last, something that was mapped there before is there again: it takes the
 * place. -ENOMEM.
 */
int flt_regions_confirm(struct flt_regions *regions, uint32_t image, uint64_t address, uint32_t device,
			uint64_t inode);

/* flags of fault as the engine knew them; kind tells what is missing. -ENOMEM. */
int flt_regions_fault(struct flt_regions *regions, const struct flt_fault *fault);

/* From a name as in /proc/PID/maps: of, and where the name begins ("[anon:x]" is x). */
enum flt_area flt_area_of_name(const char *name, const char **rest, size_t *length);

/*
 * "[heap]", "[anon:x]", a path: at most size - 1 bytes. The path is the one seen
 * from the root of the process that it was told for.
 */
void flt_region_label(const struct flt_regions *regions, const struct flt_region *region, char *text,
		      size_t size);
const char *flt_region_of_name(unsigned int of);

static inline uint64_t flt_region_faults(const struct flt_region *r)
{
	return r->minor + r->major;
}

#endif
