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
/* Mappings that wait for an exec: a program has three, an interpreter's and the vdso's included. */
#define WAITING_MAX 64u
/* A fault in the kernel so much later is not one of the exec that may follow them. */
#define WAITING_NS 100000000ull

struct waiting {
	struct flt_record_map map;
	char *name;
};

struct process {
	struct process *next;
	uint32_t tgid, image;
	uint32_t threads;		/* alive */
	char comm[COMM_BYTES + 1];
	struct waiting *waiting;
	uint32_t count;
	uint32_t tid;			/* which thread made them */
	bool told;			/* and the image has them */
};

struct flt_images {
	struct flt_images_sink sink;
	uint32_t command, images;
	struct process *slot[SLOTS];	/* by tgid */
};

int flt_images_new(struct flt_images **out, const struct flt_images_sink *sink, uint32_t command)
{
	struct flt_images *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->sink = *sink;
	l->command = command;
	*out = l;
	return 0;
}

static void waiting_drop(struct process *p)
{
	while (p->count)
		free(p->waiting[--p->count].name);
	p->told = false;
}

static void process_drop(struct process **at)
{
	struct process *p = *at;

	*at = p->next;
	waiting_drop(p);
	free(p->waiting);
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

/* THREAD or COMM. */
static int say_name(struct flt_images *l, enum flt_record_type type, uint64_t time, uint32_t image, uint32_t tid,
		    const char *comm)
{
	struct {
		struct flt_record head;
		char comm[COMM_BYTES + 8];	/* the sink may fill it in */
	} r = { .head = { .type = (uint16_t)type, .size = sizeof(r), .time = time, .image = image, .tid = tid } };

	snprintf(r.comm, sizeof(r.comm), "%.16s", comm);
	return l->sink.record(l->sink.arg, &r.head);
}

static int say_image(struct flt_images *l, uint64_t time, struct process *p, uint32_t ppid, uint32_t parent,
		     enum flt_image_cause cause)
{
	struct {
		struct flt_record_image image;
		char comm[COMM_BYTES + 8];
	} r = {
		.image = {
			.head = { .type = FLT_RECORD_IMAGE, .size = sizeof(r), .time = time, .image = l->images + 1 },
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
	p->image = ++l->images;
	return say_name(l, FLT_RECORD_THREAD, time, p->image, p->tgid, p->comm);
}

static int say_map(struct flt_images *l, uint32_t image, const struct waiting *w)
{
	struct {
		struct flt_record_map map;
		char name[NAME_MAX_BYTES];
	} r = { .map = w->map };
	size_t length = strlen(w->name);

	memcpy(r.name, w->name, length + 1);
	r.map.head.image = image;
	r.map.head.size = (uint32_t)((sizeof(r.map) + length + 8) & ~7ul);
	return l->sink.record(l->sink.arg, &r.map.head);
}

static int say_waiting(struct flt_images *l, struct process *p)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && p->image && !p->told && i < p->count; i++)
		ret = say_map(l, p->image, &p->waiting[i]);
	p->told = true;
	return ret;
}

/* They are of the image that it has. */
static int settle(struct flt_images *l, struct process *p)
{
	int ret = say_waiting(l, p);

	waiting_drop(p);
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
	ret = say_image(l, time, *out, 0, 0, FLT_IMAGE_FOUND);
	if (!ret)
		ret = l->sink.found(l->sink.arg, time, (*out)->image, tgid, &(*out)->threads);
	/* Without an image there is no process. */
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

int flt_images_fault(struct flt_images *l, const struct flt_event_record *r, uint32_t *image)
{
	struct process *p;
	int ret = process_get(l, r->time, r->tgid, &p);

	*image = 0;
	if (ret)
		return ret;
	/* An exec that made them would be the only thread, and still in the kernel. */
	if (p->count && (r->tid != p->tid || r->flags & FLT_EVENT_USER))
		ret = settle(l, p);
	else if (p->count && r->time > p->waiting[p->count - 1].map.head.time + WAITING_NS)
		ret = say_waiting(l, p);
	*image = p->image;
	return ret;
}

int flt_images_area(struct flt_images *l, const struct flt_event_area *a, const char *name)
{
	struct process *p;
	struct waiting *w;
	int ret;

	if (a->start >= a->end || strlen(name) >= NAME_MAX_BYTES)
		return 0;
	ret = process_get(l, a->time, a->tgid, &p);
	if (!ret && p->count && (a->tid != p->tid || p->count == WAITING_MAX))
		ret = settle(l, p);
	if (ret)
		return ret;
	if (!p->waiting)
		p->waiting = calloc(WAITING_MAX, sizeof(*p->waiting));
	if (!p->waiting)
		return -ENOMEM;
	p->tid = a->tid;
	p->told = false;
	w = &p->waiting[p->count];
	w->map = (struct flt_record_map){
		.head = { .type = FLT_RECORD_MAP, .time = a->time },
		.start = a->start, .end = a->end, .offset = (uint64_t)a->page << 12, .inode = a->inode,
		.device = flt_device_of_kernel(a->dev),
		.flags = (a->protection & 7u) | (a->flags & FLT_AREA_SHARED ? FLT_MAP_SHARED : 0),
	};
	w->name = strdup(name);
	if (!w->name)
		return -ENOMEM;
	p->count++;
	return 0;
}

_Static_assert(FLT_MAP_READ == 1 && FLT_MAP_WRITE == 2 && FLT_MAP_EXEC == 4, "protection is said alike");

static int on_begin(struct flt_images *l, const struct flt_event_life *life, const char *comm)
{
	struct process *parent, *p, **old;
	int ret = process_get(l, life->time, life->parent_tgid, &parent);

	if (!ret)
		ret = settle(l, parent);
	if (ret)
		return ret;
	if (life->tgid == life->parent_tgid) {
		parent->threads++;
		return !parent->image ? 0 : say_name(l, FLT_RECORD_THREAD, life->time, parent->image, life->tid, comm);
	}
	old = find(l, life->tgid);
	if (*old)	/* its end was not told */
		process_drop(old);
	ret = process_new(l, life->tgid, comm, &p);
	if (ret)
		return ret;
	return say_image(l, life->time, p, life->parent_tgid, parent->image, FLT_IMAGE_FORK);
}

static int on_exec(struct flt_images *l, const struct flt_event_life *life, const char *comm)
{
	struct process *p;
	uint32_t before;
	bool started;
	int ret = process_get(l, life->time, life->tgid, &p);

	if (ret)
		return ret;
	started = life->tgid == l->command;
	if (started)
		l->command = 0;
	before = p->image;
	p->threads = 1;
	snprintf(p->comm, sizeof(p->comm), "%.16s", comm);
	ret = say_image(l, life->time, p, 0, started ? 0 : before, started ? FLT_IMAGE_START : FLT_IMAGE_EXEC);
	p->told = false;
	return ret ? ret : settle(l, p);
}

static int on_end(struct flt_images *l, const struct flt_event_life *life)
{
	struct process **at = find(l, life->tgid), *p = *at;
	struct flt_record_exit r = {
		.head = { .type = FLT_RECORD_EXIT, .size = sizeof(r), .time = life->time, .tid = life->tid },
		.status = ~0u,
	};
	int ret;

	if (!p)
		return 0;
	ret = settle(l, p);
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
		return on_begin(l, life, comm);
	case FLT_LIFE_EXEC:
		return on_exec(l, life, comm);
	case FLT_LIFE_EXIT:
		return on_end(l, life);
	default:
		return 0;
	}
}
