/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - what threads and files are called, as a stream of faults tells it.
 */
#ifndef FLT_CMD_NAMES_H
#define FLT_CMD_NAMES_H

#include "model/process/paths.h"
#include "source/stream/comms.h"

/* Begins zeroed. */
struct names {
	struct flt_comms *comms;
	struct flt_paths *paths;
};

int names_open(struct names *names);	/* -ENOMEM; to be closed all the same */
void names_close(struct names *names);

/* A note of the stream; those that name nothing are passed over. -ENOMEM. */
int names_note(struct names *names, const union flt_stream_note *head, const void *bytes);

/* Of the thread, and of the file, that a fault is of. NULL: nobody said. Good until the next call. */
const char *names_comm(const struct names *names, const struct flt_fault *fault);
const char *names_path(const struct names *names, const struct flt_fault *fault);

#endif
