/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h - which image a process has and what is mapped in it: notes of a
 * stream, in their order, as the records of a trace file (flt_file.h).
 *
 * The mappings of a program are told before its exec is. So what was mapped last
 * waits until the process runs on in user mode, or is said to have executed.
 */
#ifndef FLT_MODEL_IMAGES_H
#define FLT_MODEL_IMAGES_H

#include <stdint.h>

#include <linux/flt_event.h>

#include "flt_file.h"

struct flt_images;

struct flt_images_sink {
	/* IMAGE, THREAD, COMM, MAP or EXIT, the sink's to change, and good during the call. Images are numbered 1, 2, 3. */
	int (*record)(void *arg, struct flt_record *record);
	/*
	 * After the IMAGE of a process that ran before anything was said of it: what it
	 * has mapped is to be found elsewhere. *threads is to be how many it has.
	 */
	int (*found)(void *arg, uint64_t time, uint32_t image, uint32_t tgid, uint32_t *threads);
	void *arg;
};

/*
 * command: the process that is to exec what is looked at, or 0. It has image 0 until it
 * execs, and nothing is told of it. -ENOMEM.
 */
int flt_images_new(struct flt_images **images, const struct flt_images_sink *sink, uint32_t command);
void flt_images_free(struct flt_images *images);

/* Those below return -ENOMEM, -E2BIG or what the sink returned. */

/* The image of a process; found, if it was not known. */
int flt_images_of(struct flt_images *images, uint64_t time, uint32_t tgid, uint32_t *image);
/* The image that ran when this fault happened. */
int flt_images_fault(struct flt_images *images, const struct flt_event_record *fault, uint32_t *image);
/* name: of the file, or as in /proc/PID/maps. */
int flt_images_area(struct flt_images *images, const struct flt_event_area *area, const char *name);
/* comm: FLT_EVENT_LIFE's 16 bytes. */
int flt_images_life(struct flt_images *images, const struct flt_event_life *life, const char *comm);

#endif
