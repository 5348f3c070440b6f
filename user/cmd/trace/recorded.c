// SPDX-License-Identifier: GPL-2.0-or-later
/* recorded.c - trace --input: print the faults of a recording like a live trace. */
#include <errno.h>
#include <string.h>

#include "cmd/trace/trace.h"
#include "event/device.h"
#include "timeline/load.h"

/* Fill the names of the thread, the process and the mapping from the recording. */
static void describe(const struct trace *t, struct trace_fault *k,
		     const struct flt_recording *rec, struct flt_fault *f)
{
	const struct flt_image *image = flt_recording_image(rec, f->image);
	const struct flt_map *map;

	*k = (struct trace_fault){ .fault = f, .timed = f->latency };
	if (!f->pid && image)
		f->pid = image->pid;
	k->comm = flt_recording_comm(rec, f->image, f->tid);
	if (!*k->comm)
		k->comm = NULL;
	/* A remote fault is in the memory of another process, which is not recorded. */
	map = f->flags & FLT_FAULT_REMOTE ? NULL : flt_recording_map(rec, f->image, f->address);
	k->in_file = map && (map->inode || map->name[0] == '/');
	if (!k->in_file)
		return;
	f->inode = map->inode;
	f->device = map->device;
	f->page = (uint32_t)((f->address - map->start + map->offset) >> t->page_shift);
	k->path = map->name[0] == '/' ? map->name : NULL;
}

static unsigned int result_of(const struct flt_fault *f)
{
	if (f->flags & FLT_FAULT_FAILED)
		return FLT_RESULT_FAILED;
	return f->flags & FLT_FAULT_MAJOR ? FLT_RESULT_MAJOR : FLT_RESULT_MINOR;
}

static bool has_pid(const struct flt_ids *pids, uint32_t pid)
{
	size_t i;

	for (i = 0; i < pids->count; i++)
		if (pids->id[i] == pid)
			return true;
	return !pids->count;
}

/* Apply the filters that the module applies to a live trace. */
static bool match(const struct trace *t, const struct trace_fault *k)
{
	const struct flt_stream_filter *wanted = &t->wish.filter;
	const struct flt_fault *f = k->fault;

	if (!has_pid(&t->args->pids, f->pid) || f->latency < wanted->latency)
		return false;
	if (wanted->results && !(wanted->results & 1u << result_of(f)))
		return false;
	if (wanted->kinds && !(wanted->kinds & 1u << f->kind))
		return false;
	if (wanted->address_end &&
	    (f->address < wanted->address || f->address >= wanted->address_end))
		return false;
	if (wanted->inode && (f->inode != wanted->inode ||
			      f->device != flt_device_of_kernel(wanted->dev)))
		return false;
	return !wanted->comm || (k->comm && !strcmp(k->comm, wanted->comm));
}

static int on_faults(void *arg, struct flt_load *load, const struct flt_fault *faults, size_t n)
{
	struct trace *t = arg;
	struct trace_fault k;
	struct flt_fault f;
	size_t i;
	int ret = 0;

	t->wall_offset = load->head.time - load->head.clock;
	t->page_shift = flt_recording_page_size(load->rec).shift;
	if (trace_has_stacks(t->args) && !t->stacks)
		ret = trace_stacks_open_file(t, load->rec);
	for (i = 0; !ret && i < n && !t->full; i++) {
		f = faults[i];
		describe(t, &k, load->rec, &f);
		if (!match(t, &k))
			continue;
		if (t->stacks)
			ret = trace_stacks_recorded(t, &k);
		if (!ret)
			ret = trace_line_fault(t, &k);
	}
	trace_flush(t);
	/* The caller reports a failed write. */
	return t->unwritten ? -EPIPE : ret;
}

static int check_args(const struct trace *t)
{
	const struct trace_args *a = t->args;

	if (a->user || a->cgroup || a->sample)
		return flt_command_misuse(t->command, "--user, --cgroup and --sample need a live "
					  "trace");
	if (a->follow || a->channel || a->subbuf_size || a->subbufs)
		return flt_command_misuse(t->command, "--follow, --channel, --buffer and --buffers "
					  "need a live trace");
	if (a->why)
		return flt_command_misuse(t->command, "--why needs a live trace, because a "
					  "recording has no causes");
	if (a->unwind >= 0)
		return flt_command_misuse(t->command, "--unwind needs a live trace, because a "
					  "recording contains unwound stacks");
	return FLT_EXIT_DONE;
}

int trace_recorded(struct trace *t)
{
	struct flt_progress progress;
	struct flt_load load = { .progress = &progress, .kinds = t->wish.filter.kinds,
				 .pids = &t->args->pids };
	struct flt_errmsg e = { "" };
	int ret, status = check_args(t);

	if (status)
		return status;
	ret = trace_line_open(t, &e);
	if (ret)
		return flt_command_fail(t->command, &e, ret);
	flt_progress_begin(&progress, false);
	status = flt_load_file(&load, t->command, t->args->input, on_faults, t);
	if (!status)
		status = flt_load_verdict(&load);
	trace_stacks_close(t);
	flt_load_free(&load);
	return trace_line_close(t, status);
}
