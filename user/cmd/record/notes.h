/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_told.h - who is who and what is mapped, as notes of the module tell it, into a trace file. */
#ifndef FLT_CMD_RECORD_TOLD_H
#define FLT_CMD_RECORD_TOLD_H

#include <stdbool.h>

#include "source/stream/stream.h"
#include "source/file/file.h"
#include "source/stream/slices.h"

struct record_told;

/*
 * command: the process that is to exec what is recorded, or 0: what it does before
 * is left out. unwind: stacks will be asked for. The writer stays the caller's.
 */
int record_told_new(struct record_told **told, struct flt_file_writer *w, uint32_t command, bool unwind);
void record_told_free(struct record_told *told);

/* A process that runs already. 0 as well if it is gone. */
int record_told_found(struct record_told *told, uint64_t time, uint32_t tgid);
/* A note of the stream; those it has no use for are ignored. */
int record_told_note(struct record_told *told, const union flt_stream_note *note, const void *bytes);
/* The image that ran when this fault happened; 0: none that is recorded. */
int record_told_fault(struct record_told *told, const struct flt_event_record *fault, uint32_t *image);
/* As flt_unwinders_run(). */
size_t record_told_unwind(struct record_told *told, uint32_t image, const struct flt_stream_slice *slice,
			  uint64_t *addresses, size_t room, uint8_t *cut);
/* Resident bytes of the processes that are there now. */
uint64_t record_told_rss(const struct record_told *told);

#endif
