/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - names of threads and files, from the notes of a stream. */
#ifndef FLT_TIMELINE_NAMES_H
#define FLT_TIMELINE_NAMES_H

#include "model/process/paths.h"
#include "source/stream/comms.h"

/* Must be zeroed before names_open(). */
struct names {
	struct flt_comms *comms;
	struct flt_paths *paths;
};

/* Return -ENOMEM. Call names_close() also after an error. */
int names_open(struct names *names);
void names_close(struct names *names);

/* Look up the threads of processes that are observed from the start of the stream on. */
void names_look(struct names *names, const uint32_t *tgids, size_t count);
/* Add a note of the stream. Notes without names are ignored. Return -ENOMEM. */
int names_note(struct names *names, const union flt_stream_note *head, const void *bytes);

/* Return the name of the thread of a fault, or NULL. Valid until the next call. */
const char *names_comm(const struct names *names, const struct flt_fault *fault);
/* Return the path of the file of a fault, or NULL. Valid until the next note. */
const char *names_path(const struct names *names, const struct flt_fault *fault);

#endif
