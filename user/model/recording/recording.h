/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - the contents of a trace file, except its faults: images, threads, maps, stacks
 * and statistics.
 *
 * Add the records and nodes in the order of the file, after the reader has validated them
 * (source/file/file.h). Records that contradict earlier ones are ignored and counted in
 * `strange`. The memory is limited: past a limit, functions return -E2BIG.
 *
 * An address means different code in different images. Code is therefore identified by a
 * *place*: an object (a file, the vdso, or the anonymous code of a process) and an offset in the
 * object. Images that map the same file share its places.
 */
#ifndef FLT_MODEL_RECORDING_H
#define FLT_MODEL_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/page_size.h"
#include "flt_file.h"
#include "index/index.h"
#include "index/name_table.h"

struct flt_fault;

enum flt_object_kind {
	FLT_OBJECT_UNKNOWN = 0,	/* no known mapping */
	FLT_OBJECT_FILE,
	FLT_OBJECT_VDSO,
	FLT_OBJECT_ANON,	/* code made at run time: offset is an address */
};

struct flt_object {
	enum flt_object_kind kind;
	const char *name;	/* path, or as in /proc/PID/maps; "" unknown */
	uint32_t pid;		/* the process of FLT_OBJECT_ANON, else 0 */
	bool data;		/* mapped without the right to execute */
	bool own;		/* libfltrec.so, which record -L loads into its command */
	uint64_t text;		/* smallest file offset of its mappings */
	uint8_t build_id_size;
	uint8_t build_id[FLT_BUILD_ID_MAX];
};

struct flt_place {
	uint32_t object;	/* index for flt_recording_object() */
	uint64_t offset;	/* in the file; of FLT_OBJECT_UNKNOWN and _ANON: the address */
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
	uint32_t place;		/* of the call; 0: the file does not have this node */
};

struct flt_image {
	uint32_t id, pid, ppid, parent, cause;
	const char *comm;	/* latest name of its first thread */
	const char *cgroup;	/* path below the mount point of cgroup2; NULL: unknown */
	uint64_t begin, end;	/* end 0: the image has not ended */
	struct flt_map_set *maps;
	uint32_t map_changes;	/* counter; cached results are valid until it changes */
	struct flt_node *nodes;	/* nodes[id - 1] */
	uint32_t node_count, node_room;
};

struct flt_recording {
	struct flt_page_size page;	/* see flt_recording_page_size() */
	/*
	 * Stacks show one function of the recorder where several call each other: the outermost
	 * one, which the program called, such as malloc(). Set before the first record is added.
	 */
	bool hides_own;
	bool has_own;			/* there is an object of the recorder */
	struct flt_image **images;	/* by ID; NULL: no such image */
	uint32_t image_room;
	struct flt_map *maps;
	uint32_t map_count, map_room;
	struct flt_object *objects;	/* [0] is FLT_OBJECT_UNKNOWN */
	uint32_t object_count, object_room;
	struct flt_place *places;	/* [0] is unused */
	uint32_t place_count, place_room;
	struct flt_index place_index;
	struct flt_strings *strings;
	struct flt_name_table comms;	/* by image and thread id */
	struct flt_record_stats *stats;
	uint32_t stats_count, stats_room;
	struct flt_record_move *moves;	/* in the order of the file */
	uint32_t move_count, move_room;
	struct flt_record_unmap *replaced;	/* see flt_recording_replace() */
	uint32_t replaced_count, replaced_room;
	const char **info;		/* "key=value" */
	size_t info_count;
	struct flt_record_end end;	/* head.type 0: the recording was not finished */
	uint64_t node_total;
	uint64_t comm_total;		/* names of threads, repeated ones included */
	uint64_t map_budget;		/* of flt_map_set_new() */
	uint64_t strange;		/* records and nodes that contradict earlier ones */
};

int flt_recording_new(struct flt_recording **rec);
void flt_recording_free(struct flt_recording *rec);

/* Add a record, or an array of nodes. Return -ENOMEM, -E2BIG. */
int flt_recording_record(struct flt_recording *rec, const struct flt_record *record);
int flt_recording_nodes(struct flt_recording *rec, const struct flt_file_node *nodes, size_t n);

/*
 * Find the image, or add it. An image without a record of its own has pid 0. Return -ENOMEM,
 * -E2BIG.
 */
int flt_recording_get(struct flt_recording *rec, uint32_t id, struct flt_image **out);
const struct flt_image *flt_recording_image(const struct flt_recording *rec, uint32_t id);
/* Return the latest name of a thread, or of its image, or "". */
const char *flt_recording_comm(const struct flt_recording *rec, uint32_t image, uint32_t tid);
/* Return the value of a key of FLT_RECORD_INFO, or NULL. */
const char *flt_recording_info(const struct flt_recording *rec, const char *key);
/*
 * Return the sizes of pages on the machine that recorded. The first faults of a file come after
 * the records with the sizes, so call this when faults are read. Sizes that the file does not
 * have, or that are impossible, are the usual ones.
 */
struct flt_page_size flt_recording_page_size(const struct flt_recording *rec);

/* Convert a record. `name` is not copied. The object is FLT_OBJECT_UNKNOWN. */
static inline struct flt_map flt_map_of_record(const struct flt_record_map *r, const char *name)
{
	return (struct flt_map){
		.start = r->start, .end = r->end, .offset = r->offset, .inode = r->inode,
		.device = r->device, .flags = r->flags, .area = r->area, .name = name,
	};
}

/* Return the current mapping at an address of the image, or NULL if it is unknown. */
const struct flt_map *flt_recording_map(const struct flt_recording *rec, uint32_t image,
					uint64_t address);
/* Set *place, which is never 0, to the place of an address. Return -ENOMEM, -E2BIG. */
int flt_recording_place(struct flt_recording *rec, uint32_t image, uint64_t address,
			uint32_t *place);
/*
 * Look up nodes again whose mapping was unknown when they were added. Call this at the end of the
 * file, because the record of the mapping may come after the node. Return -ENOMEM, -E2BIG.
 */
int flt_recording_settle(struct flt_recording *rec);

/*
 * Add the parts of a new mapping that take the place of a different one to rec->replaced: no older
 * page is left there. A mapping is reported again when it grows or when its rights change, and its
 * pages stay. So only a different file counts, or shared memory in the place of private memory.
 * Called before the mapping is added. -ENOMEM.
 */
int flt_recording_replace(struct flt_recording *rec, const struct flt_image *image,
			  const struct flt_record_map *map);

/* Return true if a place belongs to the recorder, whose inner functions are hidden. */
bool flt_recording_hides(const struct flt_recording *rec, uint32_t place);
/*
 * Move a fault in a hidden function of the recorder to the function that the program called:
 * set its instruction and its stack.
 */
void flt_recording_leave_own(const struct flt_recording *rec, struct flt_fault *fault);

/*
 * Store the places of a stack, innermost caller first, at most `room` of them, and return their
 * number. `addresses` (may be NULL) receives the return addresses.
 */
size_t flt_recording_stack(const struct flt_recording *rec, uint32_t image, uint32_t stack,
			   uint32_t *places, uint64_t *addresses, size_t room);

#endif
