/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h - images of processes and their mappings: notes of a stream, in order of time,
 * converted to records of a trace file (flt_file.h).
 *
 * An exec maps its program before the exec note comes, because the kernel sends the note last. A
 * new mapping is therefore held until the process returns to user mode, or until the exec note,
 * which gives the mapping to the new image. If the kernel faults in between, the current image
 * gets the held mappings, too. Sources that report an exec before its mappings use
 * flt_images_map(), which holds nothing.
 */
#ifndef FLT_MODEL_IMAGES_H
#define FLT_MODEL_IMAGES_H

#include <stdint.h>

#include "event/fault.h"
#include "event/page_size.h"
#include "flt_file.h"

struct flt_images;

struct flt_images_sink {
	/*
	 * Gets a record of type IMAGE, THREAD, COMM, MAP, MOVE or EXIT. The sink may change the
	 * record, which is valid during the call. Images are numbered from 1.
	 */
	int (*record)(void *arg, struct flt_record *record);
	/*
	 * Called after the IMAGE record of a process that ran before its first note. The sink finds
	 * the mappings elsewhere, and sets *threads to the number of threads.
	 */
	int (*found)(void *arg, uint64_t time, uint32_t image, uint32_t tgid, uint32_t *threads);
	void *arg;
};

/*
 * command: the process that is going to exec the observed command; 0: none. Until the exec, the
 * process has image 0 and no records. page: of the machine that sends the notes. Return -ENOMEM.
 */
int flt_images_new(struct flt_images **images, const struct flt_images_sink *sink,
		   uint32_t command, struct flt_page_size page);
void flt_images_free(struct flt_images *images);

/* The functions below return -ENOMEM, -E2BIG, or the error of the sink. */

/* Set *image to the image of a process. An unknown process gets a new image. */
int flt_images_of(struct flt_images *images, uint64_t time, uint32_t tgid, uint32_t *image);
/* Set *image to the image that ran when the fault happened. */
int flt_images_fault(struct flt_images *images, const struct flt_fault *fault, uint32_t *image);
/* Add a mapping, held for an exec. name: path of the file, or as in /proc/PID/maps. */
int flt_images_area(struct flt_images *images, const struct flt_event_area *area, const char *name);
/* Add a mapping of the current image. map->head.time is set; image and size are ignored. */
int flt_images_map(struct flt_images *images, uint32_t tgid, const struct flt_record_map *map,
		   const char *name);
/* Tell that pages of the current image were moved. */
int flt_images_move(struct flt_images *images, const struct flt_event_move *move);
/* Rename a thread. */
int flt_images_comm(struct flt_images *images, uint64_t time, uint32_t tgid, uint32_t tid,
		    const char *comm);
/*
 * Handle a fork, exec or exit. comm: the 16 bytes of FLT_EVENT_LIFE. At a fork, NULL stands for the
 * name of the parent process.
 */
int flt_images_life(struct flt_images *images, const struct flt_event_life *life, const char *comm);

#endif
