// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/process/images.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/device.h"

#define SLOTS 4096u
#define NAME_MAX_BYTES 4200
#define COMM_BYTES 16
/* Maximum number of mappings held for an exec. A program usually has three. */
#define HELD_MAX 64u

struct held {
	struct flt_record_map map;
	char *name;
};

struct process {
	struct process *next;
	uint32_t tgid, image;
	uint32_t threads;		/* alive */
	char comm[COMM_BYTES + 1];
	struct held *held;		/* mappings that may belong to the next program */
	uint32_t count;
	uint32_t sent;			/* number of held mappings that the current image has */
	uint32_t tid;			/* thread that made the held mappings */
};

struct flt_images {
	struct flt_images_sink sink;
	uint32_t command, images;
	struct flt_page_size page;
	struct process *slot[SLOTS];	/* by tgid */
};

int flt_images_new(struct flt_images **out, const struct flt_images_sink *sink, uint32_t command,
		   struct flt_page_size page)
{
	struct flt_images *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->sink = *sink;
	l->command = command;
	l->page = page;
	*out = l;
	return 0;
}

static void drop_held(struct process *p)
{
	while (p->count)
		free(p->held[--p->count].name);
	p->sent = 0;
}

static void process_drop(struct process **at)
{
	struct process *p = *at;

	*at = p->next;
	drop_held(p);
	free(p->held);
	free(p);
}

void flt_images_free(struct flt_images *l)
{
	size_t i;

	if (!l)
		return;
	for (i = 0; i < SLOTS; i++)
		while (l->slot[i])
			process_drop(&l->slot[i]);
	free(l);
}

static struct process **find(struct flt_images *l, uint32_t tgid)
{
	struct process **at = &l->slot[tgid % SLOTS];

	while (*at && (*at)->tgid != tgid)
		at = &(*at)->next;
	return at;
}

/* Send a record of type THREAD or COMM. */
static int send_name(struct flt_images *l, enum flt_record_type type, uint64_t time,
		     uint32_t image, uint32_t tid, const char *comm)
{
	struct {
		struct flt_record head;
		char comm[COMM_BYTES + 8];	/* the sink may fill in an empty name */
	} r = {
		.head = {
			.type = (uint16_t)type, .size = sizeof(r), .time = time, .image = image,
			.tid = tid,
		},
	};

	snprintf(r.comm, sizeof(r.comm), "%.16s", comm);
	return l->sink.record(l->sink.arg, &r.head);
}

/* Begin a new image of the process. */
static int send_image(struct flt_images *l, uint64_t time, struct process *p, uint32_t ppid,
		      uint32_t parent, enum flt_image_cause cause)
{
	struct {
		struct flt_record_image image;
		char comm[COMM_BYTES + 8];
	} r = {
		.image = {
			.head = {
				.type = FLT_RECORD_IMAGE, .size = sizeof(r), .time = time,
				.image = l->images + 1,
			},
			.pid = p->tgid, .ppid = ppid, .parent = parent, .cause = cause,
		},
	};
	int ret;

	if (l->images >= FLT_IMAGES_MAX)
		return -E2BIG;
	snprintf(r.comm, sizeof(r.comm), "%s", p->comm);
	ret = l->sink.record(l->sink.arg, &r.image.head);
	if (ret)
		return ret;
	snprintf(p->comm, sizeof(p->comm), "%.16s", r.comm);
	p->image = ++l->images;
	return send_name(l, FLT_RECORD_THREAD, time, p->image, p->tgid, p->comm);
}

static int send_map(struct flt_images *l, uint32_t image, const struct flt_record_map *map,
		    const char *name)
{
	struct {
		struct flt_record_map map;
		char name[NAME_MAX_BYTES];
	} r = { .map = *map };
	size_t length = strlen(name);

	memcpy(r.name, name, length + 1);
	r.map.head.type = FLT_RECORD_MAP;
	r.map.head.image = image;
	r.map.head.size = (uint32_t)((sizeof(r.map) + length + 8) & ~7ul);
	return l->sink.record(l->sink.arg, &r.map.head);
}

/* Send the held mappings that the current image does not have yet. Keep them for an exec. */
static int send_held(struct flt_images *l, struct process *p)
{
	const struct held *h;
	int ret = 0;

	while (!ret && p->image && p->sent < p->count) {
		h = &p->held[p->sent++];
		ret = send_map(l, p->image, &h->map, h->name);
	}
	return ret;
}

/* Give the held mappings to the current image only: no exec can follow that made them. */
static int settle(struct flt_images *l, struct process *p)
{
	int ret = send_held(l, p);

	drop_held(p);
	return ret;
}

static int process_new(struct flt_images *l, uint32_t tgid, const char *comm, struct process **out)
{
	struct process *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->tgid = tgid;
	p->threads = 1;
	snprintf(p->comm, sizeof(p->comm), "%.16s", comm);
	p->next = l->slot[tgid % SLOTS];
	l->slot[tgid % SLOTS] = *out = p;
	return 0;
}

static int process_get(struct flt_images *l, uint64_t time, uint32_t tgid, struct process **out)
{
	struct process **at = find(l, tgid);
	int ret;

	*out = *at;
	if (*at)
		return 0;
	ret = process_new(l, tgid, "", out);
	if (ret || tgid == l->command)
		return ret;
	ret = send_image(l, time, *out, 0, 0, FLT_IMAGE_FOUND);
	if (!ret)
		ret = l->sink.found(l->sink.arg, time, (*out)->image, tgid, &(*out)->threads);
	/* Drop a process that got no image. */
	if (ret && *out && !(*out)->image)
		process_drop(find(l, tgid));
	return ret;
}

int flt_images_of(struct flt_images *l, uint64_t time, uint32_t tgid, uint32_t *image)
{
	struct process *p;
	int ret = process_get(l, time, tgid, &p);

	*image = ret ? 0 : p->image;
	return ret;
}

/* Out of line, so that the common path saves no registers. */
static __attribute__((noinline)) int settle_fault(struct flt_images *l, const struct flt_fault *f,
						  uint32_t *image)
{
	struct process *p;
	int ret;

	*image = 0;
	ret = process_get(l, f->time, f->pid, &p);
	if (ret)
		return ret;
	/*
	 * A thread in exec is the only one of its process and stays in the kernel. The fault may be
	 * in a mapping of the new program, so the old image gets that mapping, too.
	 */
	if (p->count && (f->tid != p->tid || !(f->flags & FLT_FAULT_KERNEL)))
		ret = settle(l, p);
	else
		ret = send_held(l, p);
	*image = p->image;
	return ret;
}

int flt_images_fault(struct flt_images *l, const struct flt_fault *f, uint32_t *image)
{
	const struct process *p = *find(l, f->pid);

	if (!p || p->count)
		return settle_fault(l, f, image);
	*image = p->image;
	return 0;
}

_Static_assert(FLT_MAP_READ == 1 && FLT_MAP_WRITE == 2 && FLT_MAP_EXEC == 4,
	       "FLT_MAP_* differ from the protection of flt_event_area");

/* Convert a note of a mapping. The caller sets image and size. */
static struct flt_record_map map_of(const struct flt_images *l, const struct flt_event_area *a)
{
	return (struct flt_record_map){
		.head = { .time = a->time },
		.start = a->start, .end = a->end, .offset = (uint64_t)a->page << l->page.shift,
		.inode = a->inode, .device = flt_device_of_kernel(a->dev),
		.flags = (a->protection & 7u) | (a->flags & FLT_AREA_SHARED ? FLT_MAP_SHARED : 0),
		.area = a->of < UINT8_MAX ? a->of + 1 : UINT8_MAX,
	};
}

int flt_images_area(struct flt_images *l, const struct flt_event_area *a, const char *name)
{
	struct process *p;
	struct held *h;
	int ret;

	if (a->start >= a->end || strlen(name) >= NAME_MAX_BYTES)
		return 0;
	ret = process_get(l, a->time, a->tgid, &p);
	if (!ret && p->count && (a->tid != p->tid || p->count == HELD_MAX))
		ret = settle(l, p);
	if (ret)
		return ret;
	if (!p->held)
		p->held = calloc(HELD_MAX, sizeof(*p->held));
	if (!p->held)
		return -ENOMEM;
	h = &p->held[p->count];
	h->map = map_of(l, a);
	h->name = strdup(name);
	if (!h->name)
		return -ENOMEM;
	p->tid = a->tid;
	p->count++;
	return 0;
}

int flt_images_map(struct flt_images *l, uint32_t tgid, const struct flt_record_map *map,
		   const char *name)
{
	struct process *p;
	int ret;

	if (map->start >= map->end || strlen(name) >= NAME_MAX_BYTES)
		return 0;
	ret = process_get(l, map->head.time, tgid, &p);
	return ret || !p->image ? ret : send_map(l, p->image, map, name);
}

int flt_images_move(struct flt_images *l, const struct flt_event_move *move)
{
	struct flt_record_move r = {
		.head = { .type = FLT_RECORD_MOVE, .size = sizeof(r), .time = move->time },
		.start = move->from, .end = move->from + move->length, .to = move->to,
	};
	int ret;

	if (r.start >= r.end)
		return 0;
	ret = flt_images_of(l, move->time, move->tgid, &r.head.image);
	return ret || !r.head.image ? ret : l->sink.record(l->sink.arg, &r.head);
}

int flt_images_comm(struct flt_images *l, uint64_t time, uint32_t tgid, uint32_t tid,
		    const char *comm)
{
	struct process *p;
	int ret = process_get(l, time, tgid, &p);

	if (ret)
		return ret;
	if (tid == tgid)
		snprintf(p->comm, sizeof(p->comm), "%.16s", comm);
	return p->image ? send_name(l, FLT_RECORD_COMM, time, p->image, tid, comm) : 0;
}

static int on_fork(struct flt_images *l, const struct flt_event_life *life, const char *comm)
{
	struct process *parent, *p, **old;
	int ret = process_get(l, life->time, life->parent_tgid, &parent);

	if (!ret)
		ret = settle(l, parent);
	if (ret)
		return ret;
	if (!comm)
		comm = parent->comm;
	if (life->tgid == life->parent_tgid) {
		parent->threads++;
		return !parent->image ? 0 : send_name(l, FLT_RECORD_THREAD, life->time,
						      parent->image, life->tid, comm);
	}
	old = find(l, life->tgid);
	if (*old)	/* the PID was reused, and the exit note was lost */
		process_drop(old);
	ret = process_new(l, life->tgid, comm, &p);
	if (ret)
		return ret;
	return send_image(l, life->time, p, life->parent_tgid, parent->image, FLT_IMAGE_FORK);
}

static int on_exec(struct flt_images *l, const struct flt_event_life *life, const char *comm)
{
	enum flt_image_cause cause = FLT_IMAGE_EXEC;
	struct process *p;
	uint32_t before;
	int ret = process_get(l, life->time, life->tgid, &p);

	if (ret)
		return ret;
	before = p->image;
	if (life->tgid == l->command) {
		l->command = 0;
		before = 0;
		cause = FLT_IMAGE_START;
	}
	p->threads = 1;
	snprintf(p->comm, sizeof(p->comm), "%.16s", comm);
	ret = send_image(l, life->time, p, 0, before, cause);
	/* The new image gets all held mappings. */
	p->sent = 0;
	return ret ? ret : settle(l, p);
}

/* A thread may have renamed itself without a note. Its exit note has its last name. */
static int settle_name(struct flt_images *l, const struct process *p,
		       const struct flt_event_life *life, const char *comm)
{
	if (!p->image || !comm || !*comm)
		return 0;
	if (life->tid == life->tgid && !strncmp(comm, p->comm, COMM_BYTES))
		return 0;
	return send_name(l, FLT_RECORD_COMM, life->time, p->image, life->tid, comm);
}

static int on_exit_of(struct flt_images *l, const struct flt_event_life *life, const char *comm)
{
	struct process **at = find(l, life->tgid), *p = *at;
	struct flt_record_exit r = {
		.head = {
			.type = FLT_RECORD_EXIT, .size = sizeof(r), .time = life->time,
			.tid = life->tid,
		},
		.status = ~0u,
	};
	int ret;

	if (!p)
		return 0;
	ret = settle(l, p);
	if (!ret)
		ret = settle_name(l, p, life, comm);
	r.head.image = p->image;
	if (p->threads && !--p->threads) {
		r.head.tid = 0;
		r.status = life->code;
		process_drop(at);
	}
	return ret || !r.head.image ? ret : l->sink.record(l->sink.arg, &r.head);
}

int flt_images_life(struct flt_images *l, const struct flt_event_life *life, const char *comm)
{
	switch (life->what) {
	case FLT_LIFE_FORK:
		return on_fork(l, life, comm);
	case FLT_LIFE_EXEC:
		return on_exec(l, life, comm);
	case FLT_LIFE_EXIT:
		return on_exit_of(l, life, comm);
	default:
		return 0;
	}
}
