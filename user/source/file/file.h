/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - writer and reader of trace files (include/flt_file.h).
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
 * Create `path`. An existing file is renamed to `path`.old, or to `path`.old.1, .2 and so on.
 * `kept` (PATH_MAX bytes, or NULL) is set to the new name of that file, or to "". Return
 * -EINVAL if `path` exists and is not a regular file.
 */
int flt_file_create(struct flt_file_writer **w, const char *path, char *kept);
/* Return the folder of temporary files: $TMPDIR or /tmp. */
const char *flt_file_temporary_folder(void);
/*
 * Create a file without a name in that folder. The caller closes *fd, and can open
 * /proc/self/fd/N to read.
 */
int flt_file_create_temporary(struct flt_file_writer **w, int *fd);

/*
 * Return the first error, or 0. After an error the file ends with its last whole chunk, and
 * every later call returns the error and writes nothing. -ENOSPC: the disk is full. -EFBIG:
 * the file size limit was reached.
 */
int flt_file_error(const struct flt_file_writer *w);

/* Write an INFO record. A value that does not fit into a record is truncated. */
int flt_file_info(struct flt_file_writer *w, const char *key, const char *value);

/*
 * Write the INFO records that every recording has: host, release, machine, version, page_size,
 * huge_page_size, engine, and command (quoted for a shell; NULL: none). Of two records with one
 * key, readers use the first.
 */
int flt_file_host(struct flt_file_writer *w, const char *engine, char *const *command);

/*
 * Start a new image. Set *id to its number, or 0 on error. `parent` is 0 or an image of this
 * writer. Write threads, comms and maps with the functions below. Return -ENOSPC if there are
 * FLT_IMAGES_MAX images.
 */
int flt_file_image(struct flt_file_writer *w, uint64_t time, uint32_t pid, uint32_t ppid,
		   uint32_t parent, enum flt_image_cause cause, const char *comm, uint32_t *id);
/* Free the stacks and maps of an image that ended (exit or exec). */
void flt_file_image_done(struct flt_file_writer *w, uint32_t image);

int flt_file_thread(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t tid,
		    const char *comm);
int flt_file_comm(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t tid,
		  const char *comm);
/*
 * Read the cgroup of process `pid` from /proc and write a CGROUP record. If the process has ended,
 * write the cgroup of its parent, where it began; 0: nothing, because readers give an image without
 * a record the cgroup of its parent's image.
 */
int flt_file_cgroup_read(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid,
			 uint32_t parent);
int flt_file_cgroup(struct flt_file_writer *w, uint64_t time, uint32_t image, const char *path);
int flt_file_exit(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t tid,
		  uint32_t status);

/* Write a MAP record. Set head.time and head.image; the rest of the head is ignored. */
int flt_file_map(struct flt_file_writer *w, const struct flt_record_map *map, const char *name);
/*
 * Read the maps of process `pid` from /proc, with build-ids, and write the changes since the
 * last call for this image. Return -ESRCH if the process has ended.
 */
int flt_file_maps_read(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid);
/*
 * Write the threads of process `pid` from /proc, without its first one. Set *threads to the
 * number of all its threads. Return -ESRCH if the process has ended.
 */
int flt_file_threads_read(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid,
			  uint32_t *threads);
int flt_file_unmap(struct flt_file_writer *w, uint64_t time, uint32_t image, uint64_t start,
		   uint64_t end);
/* The pages of a range were moved. move->head: time and image. -EINVAL: the range is empty. */
int flt_file_move(struct flt_file_writer *w, const struct flt_record_move *move);
int flt_file_stats(struct flt_file_writer *w, const struct flt_record_stats *stats);

/*
 * Add a stack of return addresses, innermost first, and set *id to its node. Outer frames
 * beyond FLT_STACK_DEPTH_MAX are dropped. If the table of the image is full, count a loss and
 * set *id to 0.
 */
int flt_file_stack(struct flt_file_writer *w, uint32_t image, const uint64_t *frames, size_t n,
		   uint32_t *id);

/*
 * The same for a stack that may have come before: key is a number of the caller for these frames,
 * in all images, or 0. Frames with a known key are not read.
 */
int flt_file_stack_again(struct flt_file_writer *w, uint32_t image, uint32_t key,
			 const uint64_t *frames, size_t n, uint32_t *id);

/*
 * Write nodes with IDs that the caller has assigned (1, 2, ... within an image, parents first).
 * For one image use either this function or flt_file_stack().
 */
int flt_file_nodes(struct flt_file_writer *w, const struct flt_file_node *nodes, size_t n);

int flt_file_fault(struct flt_file_writer *w, const struct flt_fault *fault);
int flt_file_faults(struct flt_file_writer *w, const struct flt_fault *faults, size_t n);

void flt_file_lost(struct flt_file_writer *w, enum flt_file_loss cause, uint64_t n);
uint64_t flt_file_lost_by(const struct flt_file_writer *w, enum flt_file_loss cause);
uint64_t flt_file_lost_sum(const struct flt_file_writer *w);
uint64_t flt_file_written(const struct flt_file_writer *w);	/* bytes written so far */

/* Write all buffered data, so that a crash does not lose it. */
int flt_file_flush(struct flt_file_writer *w);

/*
 * Write END, flush, close and free. `produced`: faults that the engine saw. `status`: of the
 * command, as returned by wait(2), or ~0. Return the first error.
 */
int flt_file_close(struct flt_file_writer *w, uint64_t produced, uint32_t status);
/* Close and free without END, as after a crash. */
void flt_file_abandon(struct flt_file_writer *w);

/* ---- reading ---- */

struct flt_file_reader;

/* Kinds of damage. */
enum flt_damage {
	FLT_DAMAGE_NONE = 0,
	FLT_DAMAGE_SHORT,	/* the file ends within a chunk */
	FLT_DAMAGE_HEADER,	/* no valid chunk header where one is expected */
	FLT_DAMAGE_BOUNDS,	/* type, flags or sizes out of range */
	FLT_DAMAGE_BODY,	/* wrong checksum of the payload */
	FLT_DAMAGE_CODE,	/* payload cannot be decoded */
	FLT_DAMAGE_CONTENT,	/* malformed record or element */
	FLT_DAMAGE_SEQUENCE,	/* chunks before this one are missing; this one is valid */
};
const char *flt_damage_text(enum flt_damage damage);

struct flt_file_chunk {
	uint64_t offset;	/* of the header, or of the damage */
	uint64_t skipped;	/* number of bytes skipped because of the damage */
	enum flt_damage damage;
	struct flt_chunk head;	/* valid when damage is NONE, BODY, CODE or CONTENT */
	/*
	 * Decoded payload with head.count elements, valid until the next call. The caller may
	 * change faults.
	 */
	union {
		const void *data;
		struct flt_fault *faults;
		const struct flt_file_node *nodes;
		const struct flt_record *records;	/* walk with flt_file_record() */
	};
};

/*
 * Open a trace file. Return -EINVAL if it is not a regular file or not a trace file, -EPROTO if
 * its byte order or its version (see *version; 0: byte order) is not supported, -EISDIR, or
 * -EBADMSG if its header is damaged.
 */
int flt_file_open(struct flt_file_reader **r, const char *path, uint32_t *version);
const struct flt_file_header *flt_file_head(const struct flt_file_reader *r);
/* Return the size of the file in bytes when it was opened. */
uint64_t flt_file_size(const struct flt_file_reader *r);

/*
 * Read the next chunk. Return 1, or 0 at the end of the file. Return -EBADMSG if the file is
 * damaged here: *c describes the damage, and the next call continues after it. Other errors
 * are final. In a chunk returned with 1 all sizes, strings, parents and flags have been
 * checked, but not whether images, threads and nodes exist.
 */
int flt_file_next(struct flt_file_reader *r, struct flt_file_chunk *c);
void flt_file_done(struct flt_file_reader *r);

/* Iterate over the records of a chunk. Pass NULL to start. Return NULL at the end. */
const struct flt_record *flt_file_record(const struct flt_file_chunk *c,
					 const struct flt_record *prev);

/* ---- payload encoding ---- */

/* Encode or decode FLT_CHUNK_PLANES. `size` is a multiple of `element`, which is at least 8. */
void flt_planes_pack(unsigned char *out, const void *in, size_t size, size_t element);
void flt_planes_unpack(void *out, const unsigned char *in, size_t size, size_t element);
/* Return the size of an element of an array chunk; 0 for FLT_CHUNK_RECORDS. */
size_t flt_chunk_element(unsigned int type);

/* Convert to the file format. A latency above 32 bits becomes ~0. */
void flt_fault_encode(struct flt_file_fault *to, const struct flt_fault *fault);
/* Decode the payload of a FAULTS chunk of n faults. */
void flt_faults_decode(struct flt_fault *out, const unsigned char *in, size_t n, bool planes);

#endif
