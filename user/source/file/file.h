/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_file.h - writer and reader of trace files (include/flt_file.h).
 *
 * Neither is thread-safe; a file has one writer. Functions return 0 or -errno.
 */
#ifndef FLT_STREAM_FILE_H
#define FLT_STREAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/fault.h"
#include "flt_file.h"

struct flt_file_writer;

/*
 * Create `path`. A file that is there is kept: renamed to `path`.old, or to
 * `path`.old.1, .2 and so on; `kept` (of PATH_MAX bytes, may be NULL) gets that
 * name or "". Returns -EINVAL when `path` is something else than a regular file.
 */
int flt_file_create(struct flt_file_writer **w, const char *path, char *kept);
/* Create a file without a name. *fd is the caller's to close, and can be read as /proc/self/fd/N. */
int flt_file_create_temporary(struct flt_file_writer **w, int *fd);

/*
 * The first error sticks: the file then ends after its last whole chunk, and
 * every later call returns that error and drops what it was given. -ENOSPC is a
 * full disk, -EFBIG a file size limit.
 */
int flt_file_error(const struct flt_file_writer *w);

/* `value` may be of any length; what exceeds a record is cut. */
int flt_file_info(struct flt_file_writer *w, const char *key, const char *value);

/*
 * What every recording says of itself: host, release, machine, version,
 * page_size, engine, and command (NULL: none) as a shell would take it.
 */
int flt_file_host(struct flt_file_writer *w, const char *engine, char *const *command);

/*
 * A new image; its number goes to *id. `parent` is 0 or an image of this
 * writer. Threads, comms and maps follow as records of their own.
 */
int flt_file_image(struct flt_file_writer *w, uint64_t time, uint32_t pid, uint32_t ppid, uint32_t parent,
		   enum flt_image_cause cause, const char *comm, uint32_t *id);
/* The image is over (exit or exec): nothing more will be interned for it. */
void flt_file_image_done(struct flt_file_writer *w, uint32_t image);

int flt_file_thread(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t tid, const char *comm);
int flt_file_comm(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t tid, const char *comm);
int flt_file_exit(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t tid, uint32_t status);

/* head.time and head.image are the caller's; the rest of the head is filled in. */
int flt_file_map(struct flt_file_writer *w, const struct flt_record_map *map, const char *name);
/*
 * Take the maps of process `pid` from /proc, with build-ids, and write what has
 * changed since the last time for this image. Returns -ESRCH when it has gone.
 */
int flt_file_maps_read(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid);
/* The threads of process `pid` but its first, by /proc; *threads counts that one as well. -ESRCH. */
int flt_file_threads_read(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid, uint32_t *threads);
int flt_file_unmap(struct flt_file_writer *w, uint64_t time, uint32_t image, uint64_t start, uint64_t end);
int flt_file_stats(struct flt_file_writer *w, const struct flt_record_stats *stats);

/*
 * Intern a stack of return addresses, innermost first, and give its node; depth beyond
 * FLT_STACK_DEPTH_MAX is cut on the outside. *id is 0, and the loss counted, when
 * the table of this image is full.
 */
int flt_file_stack(struct flt_file_writer *w, uint32_t image, const uint64_t *frames, size_t n, uint32_t *id);

/*
 * Nodes whose ids the caller gives out (rising from 1 within an image, parents
 * first). An image has its ids from here or from flt_file_stack(), never both.
 */
int flt_file_nodes(struct flt_file_writer *w, const struct flt_file_node *nodes, size_t n);

int flt_file_faults(struct flt_file_writer *w, const struct flt_fault *faults, size_t n);

void flt_file_lost(struct flt_file_writer *w, enum flt_file_loss cause, uint64_t n);
uint64_t flt_file_lost_sum(const struct flt_file_writer *w);
uint64_t flt_file_written(const struct flt_file_writer *w);	/* bytes in the file */

/* Write out what is buffered, so that a crash from now on does not lose it. */
int flt_file_flush(struct flt_file_writer *w);

/*
 * Write END, flush and free. `produced` counts the faults the engine saw; status
 * is that of the command, as wait(2) gives it, or ~0. Returns the first error.
 */
int flt_file_close(struct flt_file_writer *w, uint64_t produced, uint32_t status);
/* Free without END, as a crash would leave the file. */
void flt_file_abandon(struct flt_file_writer *w);

/* ---- reading ---- */

struct flt_file_reader;

/* What is wrong with a piece of a file. */
enum flt_damage {
	FLT_DAMAGE_NONE = 0,
	FLT_DAMAGE_SHORT,	/* the file ends inside a chunk */
	FLT_DAMAGE_HEADER,	/* no chunk where one should be: magic or checksum */
	FLT_DAMAGE_BOUNDS,	/* type, flags or sizes out of bounds */
	FLT_DAMAGE_BODY,	/* checksum of the payload */
	FLT_DAMAGE_CODE,	/* payload does not decode */
	FLT_DAMAGE_CONTENT,	/* a record or element in it is malformed */
	FLT_DAMAGE_SEQUENCE,	/* chunks before this one are missing; this one is good */
};
const char *flt_damage_text(enum flt_damage damage);

struct flt_file_chunk {
	uint64_t offset;	/* of the header, or of the damage */
	uint64_t skipped;	/* bytes of the file left out, when damaged */
	enum flt_damage damage;
	struct flt_chunk head;	/* valid when damage is NONE, BODY, CODE or CONTENT */
	/* Decoded payload, until the next call; head.count elements. */
	union {
		const void *data;
		const struct flt_fault *faults;
		const struct flt_file_node *nodes;
		const struct flt_record *records;	/* walk with flt_file_record() */
	};
};

/*
 * -EINVAL: not a regular file, or not a trace file; -EPROTO: of another byte
 * order or an incompatible version (*version tells); -EBADMSG: its header is
 * damaged.
 */
int flt_file_open(struct flt_file_reader **r, const char *path, uint32_t *version);
const struct flt_file_header *flt_file_head(const struct flt_file_reader *r);

/*
 * The next chunk. 1: a whole one; 0: the end; -EBADMSG: damage as *c says, and
 * the next call goes on behind it; any other error is final. Of what is
 * returned as whole, every size, string, parent and flag has been checked;
 * whether numbers name something that exists has not.
 */
int flt_file_next(struct flt_file_reader *r, struct flt_file_chunk *c);
void flt_file_done(struct flt_file_reader *r);

/* Records of a chunk: start with NULL; NULL is the end. */
const struct flt_record *flt_file_record(const struct flt_file_chunk *c, const struct flt_record *prev);

/* ---- payload coding, for both and for tests ---- */

/* `size` is a multiple of `element`, `element` at least 8. */
void flt_planes_pack(unsigned char *out, const void *in, size_t size, size_t element);
void flt_planes_unpack(void *out, const unsigned char *in, size_t size, size_t element);
/* Bytes of one element of an array chunk; 0 for FLT_CHUNK_RECORDS. */
size_t flt_chunk_element(unsigned int type);

/* A fault as the file has it. A latency that the file has no room for becomes ~0. */
void flt_fault_encode(struct flt_file_fault *to, const struct flt_fault *fault);
/* Decode the payload of a FAULTS chunk of n faults. */
void flt_faults_decode(struct flt_fault *out, const unsigned char *in, size_t n, bool planes);

#endif
