// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/top/top.h"
#include "index/index.h"
#include "model/process/paths.h"

/* Maximum number of entries (file and process) per interval. Further faults share one entry. */
#define ENTRIES 6144
#define SUBBUF_SIZE (128u << 10)
#define SUBBUFS 8

struct entry {
	uint64_t inode;
	uint32_t device, tgid;
	uint64_t major, minor, time;
	uint64_t octaves[FLT_OCTAVES];
};

struct top_files {
	struct flt_stream *stream;
	struct flt_paths *paths;
	struct entry entry[ENTRIES];
	uint32_t used;
	struct flt_index index;
	struct entry others;	/* faults that found no room in entry[] */
};

/* Return the entry of the fault's file and process, or `others` if there is no room. */
static struct entry *find_entry(struct top_files *f, const struct flt_fault *fault)
{
	uint32_t hash = flt_index_hash(fault->inode, (uint64_t)fault->device << 32 | fault->pid), n;
	struct flt_index_search s = flt_index_search(hash);
	struct entry *at;

	while (flt_index_next(&f->index, &s, &n)) {
		at = &f->entry[n];
		if (at->inode == fault->inode && at->device == fault->device &&
		    at->tgid == fault->pid)
			return at;
	}
	if (f->used == ENTRIES || flt_index_add(&f->index, hash, f->used))
		return &f->others;
	at = &f->entry[f->used++];
	*at = (struct entry){
		.inode = fault->inode, .device = fault->device, .tgid = fault->pid,
	};
	return at;
}

static void count_fault(struct top_files *f, const struct flt_fault *fault)
{
	struct entry *at;

	if (!fault->inode || fault->flags & FLT_FAULT_FAILED)
		return;
	at = find_entry(f, fault);
	*(fault->flags & FLT_FAULT_MAJOR ? &at->major : &at->minor) += fault->weight;
	at->time += fault->latency;
	at->octaves[flt_bucket_of(fault->latency) >> FLT_BUCKET_SHIFT]++;
}

static int on_fault(void *arg, struct flt_fault *fault)
{
	struct top *t = arg;

	count_fault(t->files, fault);
	return 0;
}

static int on_note(void *arg, const union flt_stream_note *head, const void *bytes)
{
	struct top *t = arg;

	if (head->record.type != FLT_EVENT_PATH)
		return 0;
	return flt_paths_put(t->files->paths, &head->path, bytes);
}

int top_files_open(struct top *t, struct flt_errmsg *e)
{
	const struct flt_stream_wish wish = {
		.subbuf_size = SUBBUF_SIZE,
		.subbufs = SUBBUFS,
		.notes = true,
		.filter = { .results = 1u << FLT_RESULT_MAJOR |
			    (t->args->stream == TOP_STREAM_ALL ? 1u << FLT_RESULT_MINOR : 0),
			    .cgroup = t->members ? flt_members_id(t->members) : 0 },
	};
	struct top_files *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return -ENOMEM;
	ret = flt_paths_new(&f->paths);
	if (!ret)
		ret = flt_stream_open(&f->stream, t->control, t->args->pids.id,
				      t->args->pids.count, false, &wish, e);
	if (ret) {
		flt_paths_free(f->paths);
		free(f);
		return ret;
	}
	t->files = f;
	return 0;
}

void top_files_close(struct top *t)
{
	if (t->files) {
		flt_index_free(&t->files->index);
		flt_stream_close(t->files->stream);
		flt_paths_free(t->files->paths);
	}
	free(t->files);
	t->files = NULL;
}

int top_files_read(struct top *t, struct flt_errmsg *e)
{
	const struct flt_stream_sink sink = { .fault = on_fault, .note = on_note, .arg = t };

	return t->files ? flt_stream_read(t->files->stream, &sink, e) : 0;
}

int top_files_catch_up(struct top *t, struct flt_errmsg *e)
{
	const struct flt_stream_sink sink = { .fault = on_fault, .note = on_note, .arg = t };

	return t->files ? flt_stream_catch_up(t->files->stream, &sink, e) : 0;
}

int top_files_lost(struct top *t, struct flt_errmsg *e)
{
	struct flt_session session;
	int ret;

	if (!t->files)
		return 0;
	ret = flt_control_session(t->control, flt_stream_session(t->files->stream), false,
				  &session, e);
	if (ret)
		return ret;
	t->lost = session.lost;
	t->lost_notes = session.lost_notes;
	return 0;
}

/* Write the path of a file, or device and inode if its note was lost. Notes are repeated later. */
static void write_name(const struct top_files *f, const struct entry *at, char out[FLT_RANK_NAME])
{
	const char *path = flt_paths_get(f->paths, at->device, at->inode);

	if (path)
		snprintf(out, FLT_RANK_NAME, "%s", path);
	else
		snprintf(out, FLT_RANK_NAME, "%u:%u inode %" PRIu64, at->device >> 20,
			 at->device & 0xfffff, at->inode);
}

void top_files_most(const struct top *t, uint32_t tgid, char out[FLT_RANK_NAME])
{
	const struct entry *best = NULL, *at;
	size_t i;

	for (i = 0; t->files && i < t->files->used; i++) {
		at = &t->files->entry[i];
		if (at->tgid == tgid && at->major && (!best || at->major > best->major))
			best = at;
	}
	*out = 0;
	if (best)
		write_name(t->files, best, out);
}

static struct flt_rank *rank_of(struct top *t, const struct entry *at)
{
	struct flt_account account = { .minor = at->minor, .major = at->major,
				       .latency_sum = at->time };
	uint32_t known = 1u << FLT_RANK_COMM | 1u << FLT_RANK_MAJOR | 1u << FLT_RANK_TIME;

	if (t->args->stream == TOP_STREAM_ALL)
		known |= 1u << FLT_RANK_MINOR;
	memcpy(account.octaves, at->octaves, sizeof(account.octaves));
	return flt_ranking_add(&t->ranking, &account, known);
}

int top_files_rows(struct top *t)
{
	struct top_files *f = t->files;
	struct flt_rank *r;
	size_t i;

	for (i = 0; f && i < f->used; i++) {
		r = rank_of(t, &f->entry[i]);
		if (!r)
			return -ENOMEM;
		write_name(f, &f->entry[i], r->name);
	}
	if (f && (f->others.major || f->others.minor)) {
		r = rank_of(t, &f->others);
		if (!r)
			return -ENOMEM;
		strcpy(r->name, "(too many files)");
	}
	flt_ranking_join(&t->ranking);
	return 0;
}

void top_files_forget(struct top *t)
{
	struct top_files *f = t->files;

	if (!f)
		return;
	flt_index_clear(&f->index);
	f->others = (struct entry){ 0 };
	f->used = 0;
}
