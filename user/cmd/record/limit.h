/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limit.h - declarations shared by the files of `fltctl record -L`.
 *
 *   limit.c    run the command under the recorder
 *   images.c   copy faults and stacks from the rings to the recording
 *   summary.c  progress, and the summary at the end
 */
#ifndef FLT_CMD_RECORD_LIMIT_H
#define FLT_CMD_RECORD_LIMIT_H

#include "account/loss.h"
#include "cmd/record/args.h"
#include "cmd/record/outcome.h"
#include "observe/observe.h"
#include "source/ring/ring.h"
#include "source/file/file.h"

struct flt_recording {
	struct flt_run *run;
	const struct flt_record_args *args;
	struct flt_rec_config config;
	struct flt_file_writer *file;
	struct flt_rings *rings;
	struct flt_observe o;
	struct flt_record_total total;
	struct flt_record_pid { pid_t pid; uint32_t image; } *pids;
	size_t npids;
	int failed;		/* exit status if the loop failed, else 0 */
	uint64_t took;		/* ns until the rings were closed */
	uint64_t drains;
	uint64_t last_line, last_faults;	/* time and faults of the last line of progress */
	uint64_t kill_at;	/* when to kill the command after a signal, or 0 */
	/* the current sample, bytes */
	uint64_t rss, outside, files, resident, evicted;
	uint64_t large, large_covered;
	struct flt_ring_sum now;
};

/*
 * Check that the recorder can limit the command, and find the recorder: library has PATH_MAX bytes.
 * Return 0, or -errno with the reason.
 */
int flt_record_preload_may(const struct flt_run *run, const struct flt_record_args *args,
			   char *library, struct flt_errmsg *e);

/* Run the command once under the recorder. Return the exit status. */
int flt_record_preloaded(struct flt_run *run, const struct flt_record_args *args,
			 struct flt_record_outcome *out);

/* images.c: return the callbacks that copy faults and stacks from the rings to the file. */
struct flt_ring_receiver flt_record_images(struct flt_recording *r);

/* summary.c */
/* Sample the memory and the totals of all images. */
void flt_record_sample(struct flt_recording *r);
/* Correct the peaks for an image that ends: its heap may have had its peak between two samples. */
void flt_record_image_peak(struct flt_recording *r, const struct flt_ring_image *image);
/* Write the sample to the file. */
void flt_record_write_stats(struct flt_recording *r);
void flt_record_progress(struct flt_recording *r);
/* Return what the recording misses. */
struct flt_loss flt_record_loss(const struct flt_recording *r);
void flt_record_summary(const struct flt_recording *r);

#endif
