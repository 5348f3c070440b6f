// SPDX-License-Identifier: GPL-2.0-or-later
/* images.c - copy faults and stacks from the rings of a recorded command to its recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/clock.h"
#include "cmd/record/limit.h"
#include "index/index.h"
#include "source/proc/procfs.h"
#include "source/ring/fault.h"

/* A process image that is being recorded. */
struct image_state {
	uint32_t id;		/* in the file */
	struct flt_index threads;	/* threads that were written to the file */
	/* Their keys: the number in the process, and in the PID namespace of fltctl. */
	struct thread { uint32_t tid, here; } *tids;
	uint32_t count, room;
	bool elsewhere;		/* in another PID namespace */
};

/* Read the first line of /proc/PID/NAME. The text is "" if the process ended. */
static void read_proc(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = 0;
	if (n > 0 && text[n - 1] == '\n')
		text[n - 1] = 0;
}

static pid_t parent_of(pid_t pid)
{
	char text[512], *p;
	int ppid = 0;

	read_proc(pid, "stat", text, sizeof(text));
	p = strrchr(text, ')');
	if (p)
		sscanf(p + 1, " %*c %d", &ppid);
	return ppid;
}

/* Return the current or last image of a process, or 0. */
static uint32_t image_of(const struct flt_recording *r, pid_t pid)
{
	size_t i;

	for (i = r->npids; i--; )
		if (r->pids[i].pid == pid)
			return r->pids[i].image;
	return 0;
}

static int set_image(struct flt_recording *r, pid_t pid, uint32_t id)
{
	size_t i;

	for (i = 0; i < r->npids; i++)
		if (r->pids[i].pid == pid) {
			r->pids[i].image = id;
			return 0;
		}
	if (!(r->npids & (r->npids - 1))) {
		void *p = realloc(r->pids, (r->npids ? 2 * r->npids : 1) * sizeof(*r->pids));

		if (!p)
			return -ENOMEM;
		r->pids = p;
	}
	r->pids[r->npids++] = (struct flt_record_pid){ pid, id };
	return 0;
}

static int begin_image(void *arg, struct flt_ring_image *image)
{
	struct flt_recording *r = arg;
	struct image_state *k = calloc(1, sizeof(*k));
	enum flt_image_cause cause = FLT_IMAGE_EXEC;
	uint32_t before = image_of(r, image->pid);
	pid_t ppid = parent_of(image->pid);
	char comm[32];

	if (!k)
		return -ENOMEM;
	image->user = k;
	k->elsewhere = flt_procfs_number_of((uint32_t)image->pid, (uint32_t)image->pid) !=
		       (uint32_t)image->pid;
	read_proc(image->pid, "comm", comm, sizeof(comm));
	if (image->forked_from) {
		cause = FLT_IMAGE_FORK;
		before = image_of(r, image->forked_from);
	} else if (!r->total.images) {
		cause = FLT_IMAGE_START;
	} else if (!before) {
		/* vfork() and exec: the child connects only after the exec */
		before = image_of(r, ppid);
	}
	r->total.images++;
	flt_file_image(r->file, flt_clock_ns(CLOCK_MONOTONIC), (uint32_t)image->pid,
		       (uint32_t)ppid, before, cause, comm, &k->id);
	flt_file_cgroup_read(r->file, flt_clock_ns(CLOCK_MONOTONIC), k->id, (uint32_t)image->pid,
			     0);
	flt_file_maps_read(r->file, flt_clock_ns(CLOCK_MONOTONIC), k->id, (uint32_t)image->server);
	return set_image(r, image->pid, k->id);
}

struct look_up {
	pid_t pid;
	uint32_t tid;
};

static int has_number(void *arg, uint32_t here)
{
	const struct look_up *l = arg;

	return flt_procfs_number_of((uint32_t)l->pid, here) == l->tid ? (int)here : 0;
}

/*
 * Return the number of a thread in the PID namespace of fltctl. A thread that has ended keeps the
 * number that it had in its own.
 */
static uint32_t number_here(const struct flt_ring_image *image, uint32_t tid)
{
	struct look_up l = { image->pid, tid };
	int here = flt_procfs_each((uint32_t)image->pid, has_number, &l);

	return here > 0 ? (uint32_t)here : tid;
}

/* Write the name of a thread to the file at its first fault. *number becomes that of here. */
static int note_thread(struct flt_recording *r, struct flt_ring_image *image, uint32_t *number,
		       uint64_t time)
{
	const uint32_t tid = *number;
	uint32_t hash = flt_index_hash(tid, 0), n;
	struct flt_index_search s = flt_index_search(hash);
	struct image_state *k = image->user;
	char name[48], comm[32];
	int ret;

	while (flt_index_next(&k->threads, &s, &n))
		if (k->tids[n].tid == tid) {
			*number = k->tids[n].here;
			return 0;
		}
	if (k->count == k->room) {
		void *more = reallocarray(k->tids, k->room ? 2 * k->room : 16, sizeof(*k->tids));

		if (!more)
			return -ENOMEM;
		k->tids = more;
		k->room = k->room ? 2 * k->room : 16;
	}
	ret = flt_index_add(&k->threads, hash, k->count);
	if (ret)
		return ret;
	*number = k->elsewhere ? number_here(image, tid) : tid;
	k->tids[k->count++] = (struct thread){ tid, *number };
	snprintf(name, sizeof(name), "task/%u/comm", *number);
	read_proc(image->pid, name, comm, sizeof(comm));
	flt_file_thread(r->file, time, k->id, *number, comm);
	return 0;
}

/*
 * Write faults and stack nodes to the file in batches. Nodes are written first, because a
 * fault refers to nodes that precede it in the ring.
 */
static int take_slots(void *arg, struct flt_ring_image *image, const void *slot, size_t n)
{
	enum { BATCH = 256 };
	struct flt_fault fault[BATCH];
	struct flt_file_node node[BATCH];
	size_t nfaults = 0, nnodes = 0, faults = 0, i;
	struct image_state *k = image->user;
	struct flt_recording *r = arg;
	int ret;

	for (i = 0; i < n; i++, slot = (const char *)slot + FLT_RING_SLOT) {
		const struct flt_ring_fault *f = slot;
		const struct flt_ring_node *d = slot;
		uint32_t tid;

		if (f->type == FLT_RING_NODE) {
			node[nnodes++] = (struct flt_file_node){
				.address = d->address, .id = d->id, .parent = d->parent,
				.image = k->id,
			};
		} else if (f->type == FLT_RING_FAULT) {
			tid = f->tid;
			ret = note_thread(r, image, &tid, f->time);
			if (ret)
				return ret;
			flt_ring_fault_decode(&fault[nfaults], f);
			fault[nfaults].tid = tid;
			fault[nfaults++].image = k->id;
			faults++;
		} else if (f->type == FLT_RING_MAPS) {
			flt_file_maps_read(r->file, flt_clock_ns(CLOCK_MONOTONIC), k->id,
					   (uint32_t)image->server);
		}
		if (nfaults == BATCH || nnodes == BATCH) {
			flt_file_nodes(r->file, node, nnodes);
			flt_file_faults(r->file, fault, nfaults);
			nfaults = nnodes = 0;
		}
	}
	flt_file_nodes(r->file, node, nnodes);
	flt_file_faults(r->file, fault, nfaults);
	/* Go on without a file: the command waits for room in its ring. */
	if (flt_file_error(r->file))
		r->total.discarded += faults;
	return 0;
}

static void end_image(void *arg, struct flt_ring_image *image, const char *why)
{
	struct flt_recording *r = arg;
	struct flt_record_total *t = &r->total;
	struct image_state *k = image->user;

	flt_record_sample(r);
	flt_record_image_peak(r, image);
	t->corrupt += image->corrupt;
	flt_ring_sum_add(&t->sum, image);
	/* ended images have no memory */
	t->sum.totals.resident = t->sum.totals.shadow = 0;
	if (image->totals->resident_peak > t->resident_peak)
		t->resident_peak = image->totals->resident_peak;
	if (image->totals->used_peak > t->used_peak)
		t->used_peak = image->totals->used_peak;
	if (why) {
		t->killed++;
		snprintf(t->why, sizeof(t->why), "process %d was killed: %s", (int)image->pid, why);
		flt_command_say(r->run->command, "%s", t->why);
	}
	flt_file_maps_read(r->file, flt_clock_ns(CLOCK_MONOTONIC), k->id, (uint32_t)image->server);
	flt_file_exit(r->file, flt_clock_ns(CLOCK_MONOTONIC), k->id, 0, ~0u);
	flt_file_image_done(r->file, k->id);
	flt_index_free(&k->threads);
	free(k->tids);
	free(k);
	image->user = NULL;
}

static void refuse_process(void *arg, pid_t pid, const char *why, bool counted)
{
	struct flt_recording *r = arg;
	char who[32] = "a process";

	r->total.refused += !counted;
	if (pid)
		snprintf(who, sizeof(who), "process %d", (int)pid);
	flt_command_say(r->run->command, "cannot limit or record %s: %s", who, why);
}

struct flt_ring_receiver flt_record_images(struct flt_recording *r)
{
	return (struct flt_ring_receiver){ .begin = begin_image, .slots = take_slots,
					   .end = end_image, .refused = refuse_process, .arg = r };
}
