/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream_file_writer.h - inside of the writer, for stream_file_*.c only. */
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

/* What /proc/PID/maps said last: flt_file_maps_read() writes the difference. */
struct flt_file_area {
	struct flt_record_map map;
	char *name;
	bool seen;
};

struct flt_file_image {
	struct flt_trie trie;
	bool foreign;		/* its ids are given out by flt_file_nodes()'s caller */
	struct flt_file_area *areas;	/* in order of address */
	size_t area_count;
};

struct flt_file_writer {
	int fd;
	int error;		/* the first, and final */
	bool torn;		/* the end of the file is part of a chunk */
	struct flt_file_buffer buffers[FLT_CHUNK_LAST];	/* in the order of dependence */
	unsigned char *packed, *out;
	size_t room;		/* of out */
	void *zstd;
	uint64_t written, chunks, faults, nodes;
	uint64_t lost[FLT_LOSS_MAX];
	struct flt_file_image *images;	/* image i + 1 */
	size_t image_count, image_room;
	struct flt_build_ids build_ids;
};

void *flt_file_reserve(struct flt_file_writer *w, enum flt_chunk_type type, size_t size, uint64_t time);
struct flt_file_image *flt_file_image_get(struct flt_file_writer *w, uint32_t id);
void flt_file_image_free(struct flt_file_image *image);

#endif
