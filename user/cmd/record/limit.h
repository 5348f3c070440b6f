/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_limit.h - the parts of one run of `fltctl record -L`: the run itself
 * (record_limit.c), what its images send (record_images.c), what is said of it
 * (record_summary.c), and several runs compared (record_sweep.c).
 */
#ifndef FLT_CMD_RECORD_LIMIT_H
#define FLT_CMD_RECORD_LIMIT_H

#include "cmd/record/record.h"
#include "observe/observe.h"
#include "source/ring/ring.h"
#include "source/file/file.h"

#define FLT_RECORD_PAGE 4096ull
#define FLT_RECORD_LEAST (256ull << 10)	/* of -L */

struct flt_record_total {
	struct flt_ring_totals sum;	/* of images that ended */
	uint64_t resident_peak, used_peak;	/* of one image, pages */
	uint64_t memory_peak, covered_at_peak;	/* all images, bytes; limited or not */
	uint64_t images, refused, killed;
	char why[160];		/* of the last one refused or killed */
};

struct flt_recording {
	struct flt_run *run;
	const struct flt_record_args *args;
	struct flt_file_writer *file;
	struct flt_rings *rings;
	struct flt_observe o;
	struct flt_record_total total;
	struct flt_record_pid { pid_t pid; uint32_t image; } *pids;
	size_t npids;
	int failed;		/* exit status: the loop failed; 0: it did not */
	uint64_t took;		/* ns, until the rings were closed */
	uint64_t drains, last_line, last_faults;
	uint64_t ask_until;	/* a signal was passed on: end it by then */
	/* of the sample being taken, bytes */
	uint64_t rss, outside, resident, evicted;
	struct flt_ring_totals now;
};

/* A run as a sweep compares it. */
struct flt_record_outcome {
	uint64_t ns;		/* from exec to the end of the last process */
	struct flt_record_total total;
};

/* For struct flt_child_setup: what args say of the command's surroundings. */
int flt_record_in_child(void *args);
/* One run, its file written, nothing said but what went wrong; the exit status. */
int flt_record_limit_once(struct flt_run *run, const struct flt_record_args *args,
			  struct flt_record_outcome *out);
/* Several runs. */
int flt_record_sweep(struct flt_run *run, const struct flt_record_args *args);

/* record_images.c: puts what comes from the rings into the file. */
struct flt_ring_receiver flt_record_images(struct flt_recording *r);

/* record_summary.c */
void flt_record_sample(struct flt_recording *r);
void flt_record_write_stats(struct flt_recording *r);
void flt_record_progress(struct flt_recording *r);
void flt_record_summary(const struct flt_recording *r);

#endif
