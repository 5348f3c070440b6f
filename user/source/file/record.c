// SPDX-License-Identifier: GPL-2.0-or-later
/* Write records about images, threads and maps, and the nodes of stacks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/file/writer.h"

struct flt_file_image *flt_file_image_get(struct flt_file_writer *w, uint32_t id)
{
	return id && id <= w->image_count ? &w->images[id - 1] : NULL;
}

void flt_file_image_free(struct flt_file_image *image)
{
	size_t i;

	flt_trie_forget(&image->trie);
	for (i = 0; i < image->area_count; i++)
		free(image->areas[i].name);
	free(image->areas);
	image->areas = NULL;
	image->area_count = 0;
}

/* Add a record with a body of `body` bytes, followed by `text`. Truncate a long text. */
static void *record_new(struct flt_file_writer *w, enum flt_record_type type, size_t body,
			uint64_t time, uint32_t image, const char *text, size_t length)
{
	struct flt_record *head;
	size_t size;

	if (length > FLT_RECORD_SIZE_MAX - body - 8)
		length = FLT_RECORD_SIZE_MAX - body - 8;
	size = (body + (text ? length + 1 : 0) + 7) & ~(size_t)7;
	head = flt_file_reserve(w, FLT_CHUNK_RECORDS, size, time);
	if (!head)
		return NULL;
	head->type = (uint16_t)type;
	head->size = (uint32_t)size;
	head->time = time;
	head->image = image;
	if (text)
		memcpy((char *)head + body, text, length);
	return head;
}

int flt_file_info(struct flt_file_writer *w, const char *key, const char *value)
{
	size_t k = strlen(key), v = strlen(value);
	char *text = malloc(k + v + 2);
	void *head;

	if (!text)
		return -ENOMEM;
	memcpy(text, key, k);
	text[k] = '=';
	memcpy(text + k + 1, value, v + 1);
	head = record_new(w, FLT_RECORD_INFO, sizeof(struct flt_record), 0, 0, text, k + v + 1);
	free(text);
	return head ? 0 : w->error;
}

int flt_file_image(struct flt_file_writer *w, uint64_t time, uint32_t pid, uint32_t ppid,
		   uint32_t parent, enum flt_image_cause cause, const char *comm, uint32_t *id)
{
	uint32_t number = (uint32_t)w->image_count + 1;
	struct flt_record_image *r;
	struct flt_file_image *images;
	size_t room;

	*id = 0;
	/* Limit the memory that a fork bomb can use. */
	if (w->image_count >= FLT_IMAGES_MAX)
		return -ENOSPC;
	if (w->image_count == w->image_room) {
		room = w->image_room ? w->image_room * 2 : 64;
		images = reallocarray(w->images, room, sizeof(*images));
		if (!images)
			return -ENOMEM;
		w->images = images;
		w->image_room = room;
	}
	r = record_new(w, FLT_RECORD_IMAGE, sizeof(*r), time, number, comm, strlen(comm));
	if (!r)
		return w->error;
	memset(&w->images[w->image_count++], 0, sizeof(*w->images));
	r->pid = pid;
	r->ppid = ppid;
	r->parent = parent;
	r->cause = cause;
	*id = number;
	return 0;
}

void flt_file_image_done(struct flt_file_writer *w, uint32_t image)
{
	struct flt_file_image *i = flt_file_image_get(w, image);

	if (i)
		flt_file_image_free(i);
}

static int text_record(struct flt_file_writer *w, enum flt_record_type type, uint64_t time,
		       uint32_t image, uint32_t tid, const char *text)
{
	struct flt_record *r = record_new(w, type, sizeof(*r), time, image, text, strlen(text));

	if (!r)
		return w->error;
	r->tid = tid;
	return 0;
}

int flt_file_thread(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t tid,
		    const char *comm)
{
	return text_record(w, FLT_RECORD_THREAD, time, image, tid, comm);
}

int flt_file_comm(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t tid,
		  const char *comm)
{
	return text_record(w, FLT_RECORD_COMM, time, image, tid, comm);
}

int flt_file_cgroup(struct flt_file_writer *w, uint64_t time, uint32_t image, const char *path)
{
	return text_record(w, FLT_RECORD_CGROUP, time, image, 0, path);
}

int flt_file_exit(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t tid,
		  uint32_t status)
{
	struct flt_record_exit *r;

	r = record_new(w, FLT_RECORD_EXIT, sizeof(*r), time, image, NULL, 0);
	if (!r)
		return w->error;
	r->head.tid = tid;
	r->status = status;
	return 0;
}

/* Return true if the buffer has a fault of the image with an instruction in [start, end). */
static bool has_pending_fault(const struct flt_file_writer *w, uint32_t image, uint64_t start,
			      uint64_t end)
{
	const struct flt_file_buffer *b = &w->buffers[FLT_CHUNK_FAULTS - 1];
	const struct flt_file_fault *f = (const void *)b->data;
	uint32_t i;

	for (i = 0; i < b->count; i++)
		if (f[i].image == image && f[i].ip >= start && f[i].ip < end)
			return true;
	return false;
}

/*
 * Prepare for a change of the maps in [start, end). If the range contains code that was
 * recorded, flush nodes and faults, which refer to the old maps, and give the addresses new
 * nodes from now on.
 */
static int code_replaced(struct flt_file_writer *w, uint32_t id, uint64_t start, uint64_t end)
{
	struct flt_file_image *image = flt_file_image_get(w, id);

	if (!image)
		return -EINVAL;
	if (image->external_ids)
		return flt_file_flush(w);
	if (flt_trie_covers(&image->trie, start, end))
		flt_trie_forget(&image->trie);
	else if (!has_pending_fault(w, id, start, end))
		return 0;
	return flt_file_flush(w);
}

int flt_file_map(struct flt_file_writer *w, const struct flt_record_map *map, const char *name)
{
	struct flt_record_map *r;
	struct flt_record head;
	int err;

	if (map->start >= map->end || map->build_id_size > FLT_BUILD_ID_MAX)
		return -EINVAL;
	err = code_replaced(w, map->head.image, map->start, map->end);
	if (err)
		return err;
	r = record_new(w, FLT_RECORD_MAP, sizeof(*r), map->head.time, map->head.image, name,
		       strlen(name));
	if (!r)
		return w->error;
	head = r->head;
	*r = *map;
	r->head = head;
	memset(r->reserved, 0, sizeof(r->reserved));
	return 0;
}

int flt_file_unmap(struct flt_file_writer *w, uint64_t time, uint32_t image, uint64_t start,
		   uint64_t end)
{
	struct flt_record_unmap *r;
	int err;

	if (start >= end)
		return -EINVAL;
	err = code_replaced(w, image, start, end);
	if (err)
		return err;
	r = record_new(w, FLT_RECORD_UNMAP, sizeof(*r), time, image, NULL, 0);
	if (!r)
		return w->error;
	r->start = start;
	r->end = end;
	return 0;
}

int flt_file_move(struct flt_file_writer *w, const struct flt_record_move *move)
{
	struct flt_record_move *r;

	if (move->start >= move->end)
		return -EINVAL;
	r = record_new(w, FLT_RECORD_MOVE, sizeof(*r), move->head.time, move->head.image, NULL, 0);
	if (!r)
		return w->error;
	r->start = move->start;
	r->end = move->end;
	r->to = move->to;
	return 0;
}

int flt_file_stats(struct flt_file_writer *w, const struct flt_record_stats *stats)
{
	struct flt_record_stats *r;
	struct flt_record head;

	r = record_new(w, FLT_RECORD_STATS, sizeof(*r), stats->head.time, 0, NULL, 0);
	if (!r)
		return w->error;
	head = r->head;
	*r = *stats;
	r->head = head;
	return 0;
}

int flt_file_nodes(struct flt_file_writer *w, const struct flt_file_node *nodes, size_t n)
{
	struct flt_file_image *image;
	struct flt_file_node *node;
	size_t i;

	for (i = 0; i < n; i++) {
		image = flt_file_image_get(w, nodes[i].image);
		if (!image)
			return -EINVAL;
		image->external_ids = !image->trie.forgotten && !image->trie.count;
		node = flt_file_reserve(w, FLT_CHUNK_STACKS, sizeof(*node), 0);
		if (!node)
			return w->error;
		*node = nodes[i];
	}
	return 0;
}

int flt_file_stack(struct flt_file_writer *w, uint32_t image, const uint64_t *frames, size_t n,
		   uint32_t *id)
{
	struct flt_file_image *i = flt_file_image_get(w, image);
	struct flt_file_node node = { .image = image };
	uint32_t parent = 0;
	bool added;
	int err;

	*id = 0;
	if (!i)
		return -EINVAL;
	if (n > FLT_STACK_DEPTH_MAX)
		n = FLT_STACK_DEPTH_MAX;
	while (n--) {
		err = flt_trie_intern(&i->trie, frames[n], parent, &node.id, &added);
		if (err == -ENOSPC) {
			flt_file_lost(w, FLT_LOSS_STACK, 1);
			return 0;
		}
		if (err)
			return err;
		if (added) {
			node.address = frames[n];
			node.parent = parent;
			err = flt_file_nodes(w, &node, 1);
			if (err)
				return err;
		}
		parent = node.id;
	}
	*id = parent;
	return 0;
}

int flt_file_stack_again(struct flt_file_writer *w, uint32_t image, uint32_t key,
			 const uint64_t *frames, size_t n, uint32_t *id)
{
	struct flt_file_image *i = flt_file_image_get(w, image);
	int err;

	*id = i && key ? flt_trie_recall(&i->trie, key) : 0;
	if (*id)
		return 0;
	err = flt_file_stack(w, image, frames, n, id);
	if (!err && key && *id)
		flt_trie_remember(&i->trie, key, *id);
	return err;
}
