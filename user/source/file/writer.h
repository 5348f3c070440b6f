/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writer.h - private data of the writer, for source/file only. */
#ifndef FLT_STREAM_FILE_WRITER_H
#define FLT_STREAM_FILE_WRITER_H

#include "source/file/build_ids.h"
#include "source/file/file.h"
#include "source/file/stacks.h"

struct flt_file_buffer {
	unsigned char *data;
	size_t size;
	uint32_t count;
	unsigned int type;
	uint64_t first, last;
};

/* A mapping as last read from /proc/PID/maps. flt_file_maps_read() writes changes only. */
struct flt_file_area {
	struct flt_record_map map;
	char *name;
	bool seen;	/* read again, unchanged */
};

struct flt_file_image {
	struct flt_trie trie;
	bool external_ids;		/* the caller of flt_file_nodes() assigns its node IDs */
	struct flt_file_area *areas;	/* sorted by address */
	size_t area_count;
};

struct flt_file_writer {
	int fd;
	int error;		/* first error, permanent */
	bool torn;		/* the file ends with part of a chunk, which could not be removed */
	struct flt_file_buffer buffers[FLT_CHUNK_LAST];	/* in the order of flushing */
	unsigned char *packed, *out;
	size_t room;		/* size of out */
	void *zstd;
	uint64_t written, chunks, faults, nodes;
	uint64_t lost[FLT_LOSS_MAX];
	struct flt_file_image *images;	/* images[i] has the number i + 1 */
	size_t image_count, image_room;
	struct flt_build_ids build_ids;
};

/* Reserve zeroed room for `size` bytes of payload. Return NULL on error, see flt_file_error(). */
void *flt_file_reserve(struct flt_file_writer *w, enum flt_chunk_type type, size_t size,
		       uint64_t time);
/* Return NULL if there is no image with this number. */
struct flt_file_image *flt_file_image_get(struct flt_file_writer *w, uint32_t id);
void flt_file_image_free(struct flt_file_image *image);

#endif
