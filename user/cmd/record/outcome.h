/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcome.h - the result of a run with limited memory, whatever limited it. */
#ifndef FLT_CMD_RECORD_OUTCOME_H
#define FLT_CMD_RECORD_OUTCOME_H

#include "source/proc/machine.h"
#include "source/ring/ring.h"

#define FLT_RECORD_LEAST (256ull << 10)	/* of -L */

/* Convert pages of this machine, which are the unit of flt_ring.h and of the totals. */
static inline uint64_t flt_record_bytes(uint64_t pages)
{
	return pages * flt_machine_page();
}

struct flt_record_total {
	struct flt_ring_sum sum;	/* of images that ended */
	uint64_t resident_peak, used_peak;	/* of one image, pages */
	uint64_t memory_peak, covered_at_peak;	/* all images, bytes; limited or not */
	uint64_t files_at_peak;	/* of memory_peak: files and shared memory */
	uint64_t images, refused, killed;
	/* The same of images that are larger than the limit: memory that fits needs none. */
	uint64_t large_peak, large_covered;
	uint64_t corrupt;	/* images whose ring was overwritten */
	uint64_t discarded;	/* faults, after the file could not be written any more */
	char why[160];		/* why the last image was killed */
};

/* The result of a run, for a sweep. */
struct flt_record_outcome {
	uint64_t ns;		/* from exec to the end of the last process */
	struct flt_record_total total;
};

#endif
