// SPDX-License-Identifier: GPL-2.0-or-later
/* Images, threads and first touches, from perf's events, into a trace file. */
#include "source/perf/trace.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "index/page_set.h"
#include "source/proc/maps.h"
#include "source/perf/unwind.h"

#define PROCS_SLOTS 4096u
#define FRAMES_MAX 512u
/* Blocks of pages that all images share. When they are used up, new pages are no first touch. */
#define TOUCHED_BLOCKS (2u << 20)

struct proc {
	struct proc *next;
	uint32_t pid, image;
	uint32_t threads;	/* alive, as far as perf told */
	char comm[16];
	bool stack_known;	/* a map of its stack is in the file, or can't be had */
	struct flt_page_set touched;
	struct flt_unwind *unwind;	/* made when first needed */
};

struct flt_perf_trace {
	struct flt_file_writer *writer;
	uint32_t command;
	uint64_t faults, majors, allocs;
	uint32_t touched_budget;
	unsigned int page_shift;
	uint32_t max_stack;
	struct proc *procs[PROCS_SLOTS];	/* by pid */
};

int flt_perf_trace_new(struct flt_perf_trace **out, struct flt_file_writer *w, uint32_t command, uint32_t max_stack)
{
	struct flt_perf_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->writer = w;
	t->command = command;
	t->max_stack = max_stack;
	t->touched_budget = TOUCHED_BLOCKS;
	t->page_shift = (unsigned int)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	*out = t;
	return 0;
}

static struct proc **proc_slot(struct flt_perf_trace *t, uint32_t pid)
{
	struct proc **at = &t->procs[pid % PROCS_SLOTS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

static void proc_free(struct flt_perf_trace *t, struct proc *proc)
{
	flt_page_set_free(&proc->touched, &t->touched_budget);
	flt_unwind_free(proc->unwind);
	free(proc);
}

static void proc_end(struct flt_perf_trace *t, struct proc **at)
{
	struct proc *proc = *at;

	*at = proc->next;
	flt_file_image_done(t->writer, proc->image);
	proc_free(t, proc);
}

void flt_perf_trace_free(struct flt_perf_trace *t)
{
	struct proc *proc;
	size_t i;

	for (i = 0; t && i < PROCS_SLOTS; i++)
		while ((proc = t->procs[i])) {
			t->procs[i] = proc->next;
			proc_free(t, proc);
		}
	free(t);
}

/* A new image for pid, in place of the one it may have had. */
static int proc_new(struct flt_perf_trace *t, uint64_t time, uint32_t pid, uint32_t ppid, uint32_t parent,
		    enum flt_image_cause cause, const char *comm, struct proc **out)
{
	struct proc **at = proc_slot(t, pid), *proc;
	int err;

	if (*at)
		proc_end(t, at);
	proc = calloc(1, sizeof(*proc));
	if (!proc)
		return -ENOMEM;
	proc->pid = pid;
	proc->threads = 1;
	snprintf(proc->comm, sizeof(proc->comm), "%s", comm);
	err = flt_file_image(t->writer, time, pid, ppid, parent, cause, comm, &proc->image);
	if (!err)
		err = flt_file_thread(t->writer, time, proc->image, pid, comm);
	if (err) {
		free(proc);
		return err;
	}
	at = &t->procs[pid % PROCS_SLOTS];
	proc->next = *at;
	*at = proc;
	if (out)
		*out = proc;
	return 0;
}

static uint32_t ppid_read(uint32_t pid)
{
	char path[64], line[256];
	unsigned int ppid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "PPid: %u", &ppid) == 1)
			break;
	if (file)
		fclose(file);
	return ppid;
}

int flt_perf_trace_found(struct flt_perf_trace *t, uint64_t time, uint32_t pid)
{
	struct proc *proc;
	char comm[16];
	int err;

	flt_maps_comm(pid, comm, sizeof(comm));
	err = proc_new(t, time, pid, ppid_read(pid), 0, FLT_IMAGE_FOUND, comm, &proc);
	if (!err)
		err = flt_file_threads_read(t->writer, time, proc->image, pid, &proc->threads);
	if (err)
		return err;
	err = flt_file_maps_read(t->writer, time, proc->image, pid);
	proc->stack_known = true;
	return err;
}

int flt_perf_trace_found_all(struct flt_perf_trace *t, uint64_t time)
{
	struct dirent *entry;
	uint32_t pid;
	DIR *dir = opendir("/proc");
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		err = flt_perf_trace_found(t, time, pid);
		if (err == -ESRCH || err == -EACCES)	/* ended, a kernel thread, or another user's */
			err = 0;
	}
	closedir(dir);
	return err;
}

/*
 * The stack is mapped before perf tells of maps. It is looked up once, at the
 * first fault of an image that is still there.
 */
static int stack_find(struct flt_perf_trace *t, struct proc *proc, uint64_t time)
{
	struct flt_record_map map = { .head = { .time = time, .image = proc->image } };
	char path[64], line[512];
	unsigned long long start, end;
	FILE *file;
	int err = 0;

	proc->stack_known = true;
	snprintf(path, sizeof(path), "/proc/%u/maps", proc->pid);
	file = fopen(path, "re");
	while (file && !err && fgets(line, sizeof(line), file)) {
		if (!strstr(line, " [stack]") || sscanf(line, "%llx-%llx", &start, &end) != 2 || start >= end)
			continue;
		/* It grows down: what is below now may be stack later. */
		map.start = start > (8u << 20) ? start - (8u << 20) : start;
		map.end = end;
		map.flags = FLT_MAP_READ | FLT_MAP_WRITE;
		err = flt_file_map(t->writer, &map, "[stack]");
	}
	if (file)
		fclose(file);
	return err;
}

static int proc_get(struct flt_perf_trace *t, uint64_t time, uint32_t pid, struct proc **out)
{
	int err = 0;

	*out = *proc_slot(t, pid);
	if (!*out) {
		err = flt_perf_trace_found(t, time, pid);
		*out = *proc_slot(t, pid);
		if (*out && err == -ESRCH)
			err = 0;
	}
	return err;
}

/* Callers from registers and stack, as the call chain would be. */
static void callers_unwind(struct flt_perf_trace *t, struct proc *proc, const struct flt_perf_event *e, uint64_t *frames,
			   struct flt_fault *f, size_t *count)
{
	uint64_t regs[FLT_UNWIND_REGS];
	size_t n;

	*count = 0;
	if (!e->regs)
		return;
	flt_unwind_regs(regs, e->regs);
	f->ip = regs[FLT_UNWIND_IP];
	if (!proc->unwind)
		proc->unwind = flt_unwind_new(proc->pid);
	if (!proc->unwind || !e->stack_size) {
		f->flags |= FLT_FAULT_CUT_MEMORY;
		return;
	}
	n = flt_unwind_run(proc->unwind, regs, e->stack, e->stack_size, frames, t->max_stack < FRAMES_MAX ? t->max_stack : FRAMES_MAX);
	if (n > 1)
		*count = n - 1;
	if (flt_unwind_stopped(proc->unwind))
		f->flags |= FLT_FAULT_CUT_UNWIND;
}

static int fault_event(struct flt_perf_trace *t, const struct flt_perf_event *e)
{
	struct flt_fault f = {
		.time = e->time, .address = e->address, .ip = e->ip, .tid = e->tid, .weight = 1, .pages = 1,
		.cpu = (uint16_t)e->cpu,
	};
	const uint64_t *callers = e->callers;
	size_t count = e->caller_count;
	uint64_t frames[FRAMES_MAX];
	struct proc *proc;
	int64_t fresh;
	int err;

	t->faults++;
	t->majors += e->major;
	err = proc_get(t, e->time, e->pid, &proc);
	if (!err && !proc->stack_known)
		err = stack_find(t, proc, e->time);
	if (err)
		return err;
	f.image = proc->image;
	f.flags = (e->major ? FLT_FAULT_MAJOR : 0) | (e->kernel ? FLT_FAULT_KERNEL : 0) |
		  (e->cut ? FLT_FAULT_CUT_DEPTH : 0);
	fresh = flt_page_set_add(&proc->touched, e->address >> t->page_shift, 1, &t->touched_budget);
	if (fresh == -ENOMEM)
		return -ENOMEM;
	if (fresh > 0) {
		t->allocs++;
		f.flags |= FLT_FAULT_ALLOC;
	}
	if (e->regs) {
		callers_unwind(t, proc, e, frames, &f, &count);
		callers = frames + 1;
	}
	err = flt_file_stack(t->writer, proc->image, callers, count, &f.stack);
	return err ? err : flt_file_faults(t->writer, &f, 1);
}

static int map_event(struct flt_perf_trace *t, const struct flt_perf_event *e)
{
	struct flt_record_map map = { .head = { .time = e->time } };
	const char *name = strcmp(e->name, "//anon") ? e->name : "";
	struct proc *proc;
	int err;

	if (e->start + e->length <= e->start)
		return 0;
	err = proc_get(t, e->time, e->pid, &proc);
	if (err)
		return err;
	map.head.image = proc->image;
	map.start = e->start;
	map.end = e->start + e->length;
	map.offset = e->offset;
	map.inode = e->inode;
	map.device = e->device;
	map.flags = (e->prot & PROT_READ ? FLT_MAP_READ : 0) | (e->prot & PROT_WRITE ? FLT_MAP_WRITE : 0) |
		    (e->prot & PROT_EXEC ? FLT_MAP_EXEC : 0) | (e->flags & MAP_SHARED ? FLT_MAP_SHARED : 0);
	map.build_id_size = (uint8_t)e->build_id_size;
	if (e->build_id_size)
		memcpy(map.build_id, e->build_id, e->build_id_size);
	/* The heap is told of anew each time it grows; all else is new memory. */
	if (strcmp(name, "[heap]"))
		flt_page_set_clear(&proc->touched, map.start >> t->page_shift,
				   ((map.end - 1) >> t->page_shift) + 1);
	if (proc->unwind && e->prot & PROT_EXEC)
		flt_unwind_map(proc->unwind, map.start, map.offset, name);
	else if (e->prot & PROT_EXEC && t->max_stack) {
		proc->unwind = flt_unwind_new(proc->pid);
		if (proc->unwind)
			flt_unwind_map(proc->unwind, map.start, map.offset, name);
	}
	return flt_file_map(t->writer, &map, name);
}

static int exec_event(struct flt_perf_trace *t, const struct flt_perf_event *e)
{
	struct proc *old = *proc_slot(t, e->pid);
	enum flt_image_cause cause = old || e->pid != t->command ? FLT_IMAGE_EXEC : FLT_IMAGE_START;

	return proc_new(t, e->time, e->pid, old ? 0 : ppid_read(e->pid), old ? old->image : 0, cause, e->name, NULL);
}

static int fork_event(struct flt_perf_trace *t, const struct flt_perf_event *e)
{
	struct proc *parent, *proc;
	int err = proc_get(t, e->time, e->ppid, &parent);

	if (err)
		return err;
	if (e->pid == e->ppid) {
		parent->threads++;
		return flt_file_thread(t->writer, e->time, parent->image, e->tid, parent->comm);
	}
	err = proc_new(t, e->time, e->pid, e->ppid, parent->image, FLT_IMAGE_FORK, parent->comm, &proc);
	if (err)
		return err;
	proc->stack_known = parent->stack_known;
	/* Without memory for the copy, first touches of the child are counted again. */
	flt_page_set_copy(&proc->touched, &parent->touched, &t->touched_budget);
	return 0;
}

static int exit_event(struct flt_perf_trace *t, const struct flt_perf_event *e)
{
	struct proc **at = proc_slot(t, e->pid);
	uint32_t tid = e->tid;
	int err;

	if (!*at)
		return 0;
	/* perf tells of threads: the process is over with the last. */
	if (!--(*at)->threads)
		tid = 0;
	err = flt_file_exit(t->writer, e->time, (*at)->image, tid, ~0u);
	if (!tid)
		proc_end(t, at);
	return err;
}

static int comm_event(struct flt_perf_trace *t, const struct flt_perf_event *e)
{
	struct proc *proc;
	int err = proc_get(t, e->time, e->pid, &proc);

	if (err)
		return err;
	if (e->tid == e->pid)
		snprintf(proc->comm, sizeof(proc->comm), "%s", e->name);
	return flt_file_comm(t->writer, e->time, proc->image, e->tid, e->name);
}

int flt_perf_trace_event(void *arg, const struct flt_perf_event *e)
{
	struct flt_perf_trace *t = arg;
	int err;

	switch (e->type) {
	case FLT_PERF_FAULT:
		err = fault_event(t, e);
		break;
	case FLT_PERF_MAP:
		err = map_event(t, e);
		break;
	case FLT_PERF_EXEC:
		err = exec_event(t, e);
		break;
	case FLT_PERF_FORK:
		err = fork_event(t, e);
		break;
	case FLT_PERF_EXIT:
		err = exit_event(t, e);
		break;
	case FLT_PERF_COMM:
		err = comm_event(t, e);
		break;
	default:
		flt_file_lost(t->writer, FLT_LOSS_BUFFER, e->lost);
		return 0;
	}
	/* Too many processes is a loss, unless it is the file that failed. */
	if (err && !flt_file_error(t->writer) && err != -ENOMEM) {
		flt_file_lost(t->writer, e->type == FLT_PERF_FAULT ? FLT_LOSS_UNKNOWN : FLT_LOSS_RECORD, 1);
		return 0;
	}
	return err;
}

static uint64_t rss_read(uint32_t pid, unsigned int page_shift)
{
	unsigned long long size, resident = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/statm", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &size, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident << page_shift;
}

int flt_perf_trace_stats(struct flt_perf_trace *t, uint64_t time)
{
	struct flt_record_stats stats = {
		.head = { .time = time }, .faults = t->faults, .majors = t->majors, .allocs = t->allocs,
		.refaults = ~0ull, .evictions = ~0ull, .resident = ~0ull, .evicted = ~0ull, .limit = ~0ull,
		.unlimited = ~0ull,
	};
	struct proc *proc;
	size_t i;

	for (i = 0; i < PROCS_SLOTS; i++)
		for (proc = t->procs[i]; proc; proc = proc->next)
			stats.rss += rss_read(proc->pid, t->page_shift);
	return flt_file_stats(t->writer, &stats);
}

uint64_t flt_perf_trace_faults(const struct flt_perf_trace *t)
{
	return t->faults;
}

uint64_t flt_perf_trace_majors(const struct flt_perf_trace *t)
{
	return t->majors;
}
