/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - what a trace file says of the world its faults happened in:
 * images, threads, maps, stacks, statistics.
 *
 * Fed with the records and nodes of a file in its order. Takes what was checked
 * for form (source/stream_file.h); what contradicts itself is left out and
 * counted in `strange`. Bounded: past the limits -E2BIG.
 *
 * An address means different code in different images, so code is named by a
 * *place*: an object (file, vdso, anonymous code of a process) and an offset in
 * it. Equal places of several images are one.
 */
#ifndef FLT_MODEL_RECORDING_H
#define FLT_MODEL_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flt_file.h"
#include "index/index.h"
#include "index/name_table.h"

enum flt_object_kind {
	FLT_OBJECT_UNKNOWN = 0,	/* nothing is known to be mapped there */
	FLT_OBJECT_FILE,
	FLT_OBJECT_VDSO,
	FLT_OBJECT_ANON,	/* code made at run time: offset is an address */
};

struct flt_object {
	enum flt_object_kind kind;
	const char *name;	/* path, or as in /proc/PID/maps; "" unknown */
	uint32_t pid;		/* ANON: whose */
	bool data;		/* mapped without the right to execute */
	uint64_t text;		/* else: offset in the file of the first such mapping */
	uint8_t build_id_size;
	uint8_t build_id[FLT_BUILD_ID_MAX];
};

struct flt_place {
	uint32_t object;	/* index for flt_recording_object() */
	uint64_t offset;	/* in the file; UNKNOWN and ANON: the address */
};

struct flt_map {
	uint64_t start, end, offset;
	uint64_t inode;		/* 0: unknown */
	uint32_t device;	/* as in struct flt_record_map */
	uint32_t flags;		/* FLT_MAP_* */
	uint32_t object;
	uint8_t area;		/* as in struct flt_record_map */
	const char *name;
};

struct flt_node {
	uint64_t address;	/* a return address */
	uint32_t parent;
	uint32_t place;		/* of the call; 0: a node that is missing */
};

struct flt_image {
	uint32_t id, pid, ppid, parent, cause;
	const char *comm;	/* the latest of its first thread */
	uint64_t begin, end;	/* end 0: did not */
	struct flt_map_set *maps;
	uint32_t map_changes;	/* so that what was resolved can be kept until then */
	struct flt_node *nodes;	/* node id at [id - 1] */
	uint32_t node_count, node_room;
};

struct flt_recording {
	struct flt_image **images;	/* image id at [id]; NULL: none */
	uint32_t image_room;
	struct flt_map *maps;
	uint32_t map_count, map_room;
	struct flt_object *objects;	/* [0] is the unknown one */
	uint32_t object_count, object_room;
	struct flt_place *places;	/* [0] is unused */
	uint32_t place_count, place_room;
	struct flt_index place_index;
	struct flt_strings *strings;
	struct flt_name_table comms;	/* by image and thread id */
	struct flt_record_stats *stats;
	uint32_t stats_count, stats_room;
	const char **info;		/* "key=value" */
	size_t info_count;
	struct flt_record_end end;	/* head.type 0: the recording was not finished */
	uint64_t node_total;
	uint64_t strange;		/* records that made no sense */
};

int flt_recording_new(struct flt_recording **rec);
void flt_recording_free(struct flt_recording *rec);

int flt_recording_record(struct flt_recording *rec, const struct flt_record *record);
int flt_recording_nodes(struct flt_recording *rec, const struct flt_file_node *nodes, size_t n);

/* Find or make the image of this id. One that no record has named has no pid. -ENOMEM, -E2BIG. */
int flt_recording_get(struct flt_recording *rec, uint32_t id, struct flt_image **out);
const struct flt_image *flt_recording_image(const struct flt_recording *rec, uint32_t id);
/* The latest name of a thread, or of its image, or "". */
const char *flt_recording_comm(const struct flt_recording *rec, uint32_t image, uint32_t tid);
/* The value of a key of FLT_RECORD_INFO, or NULL. */
const char *flt_recording_info(const struct flt_recording *rec, const char *key);

/* Convert a record. `name` is kept by reference. The object is the unknown one. */
static inline struct flt_map flt_map_of_record(const struct flt_record_map *r, const char *name)
{
	return (struct flt_map){
		.start = r->start, .end = r->end, .offset = r->offset, .inode = r->inode,
		.device = r->device, .flags = r->flags, .area = r->area, .name = name,
	};
}

/* What is mapped at address of this image now; NULL: nothing known. */
const struct flt_map *flt_recording_map(const struct flt_recording *rec, uint32_t image,
					uint64_t address);
/* The place of address; *place is never 0. -ENOMEM, -E2BIG. */
int flt_recording_place(struct flt_recording *rec, uint32_t image, uint64_t address,
			uint32_t *place);
/*
 * Nodes that no map explained when they came are looked up once more, in the
 * maps as they are now. Call it at the end of the file.
 */
int flt_recording_settle(struct flt_recording *rec);

/*
 * The places of a stack, innermost caller first; at most `room`. Returns how
 * many. *addresses, if not NULL, gets the return addresses.
 */
size_t flt_recording_stack(const struct flt_recording *rec, uint32_t image, uint32_t stack,
			   uint32_t *places, uint64_t *addresses, size_t room);

#endif
