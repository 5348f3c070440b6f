// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/top.h"
#include "model/paths.h"

/* Files by process in one interval, and names known at all; more go without. Powers of two. */
#define ENTRIES 8192
#define NAMES 4096
#define SUBBUF_SIZE (128u << 10)
#define SUBBUFS 8

struct entry {
	uint64_t inode;		/* 0: free */
	uint32_t dev, tgid;
	uint64_t major, minor, time;
	uint64_t octaves[FLT_OCTAVES];
	uint32_t name;
};

struct name {
	uint64_t inode;		/* 0: free */
	uint32_t dev;
	char path[FLT_RANK_NAME];
};

struct top_files {
	struct flt_stream *stream;
	struct flt_paths *paths;
	struct entry entry[ENTRIES];
	size_t used;
	struct name name[NAMES];
	size_t named;
	struct entry others;	/* what found no entry */
};

static uint32_t hash(uint64_t inode, uint32_t dev, uint32_t tgid)
{
	return (uint32_t)((inode * 0x9e3779b97f4a7c15ull + ((uint64_t)dev << 32 | tgid)) *
			  0x9e3779b97f4a7c15ull >> 40);
}

static uint32_t find_name(struct top_files *f, const struct flt_event_record *r)
{
	uint32_t i = hash(r->inode, r->dev, 0);
	const char *path;
	struct name *n;

	for (;; i++) {
		n = &f->name[i % NAMES];
		if (n->inode == r->inode && n->dev == r->dev)
			break;
		if (n->inode)
			continue;
		/* A full table is begun anew, but for the entries that point into it. */
		if (f->named >= NAMES / 4 * 3)
			return NAMES;
		f->named++;
		*n = (struct name){ .inode = r->inode, .dev = r->dev };
		snprintf(n->path, sizeof(n->path), "%u:%u inode %" PRIu64, (unsigned int)(r->dev >> 8 & 0xfff),
			 (unsigned int)((r->dev & 0xff) | (r->dev >> 12 & 0xfff00)),
			 (uint64_t)r->inode);
		break;
	}
	/* Always: a number may be a new file's, and a note that was lost is sent again later. */
	path = flt_paths_get(f->paths, r->dev, r->inode);
	if (path)
		snprintf(n->path, sizeof(n->path), "%s", path);
	return i % NAMES;
}

static struct entry *find_entry(struct top_files *f, const struct flt_event_record *r)
{
	uint32_t i = hash(r->inode, r->dev, r->tgid);
	struct entry *at;

	for (;; i++) {
		at = &f->entry[i % ENTRIES];
		if (at->inode == r->inode && at->dev == r->dev && at->tgid == r->tgid)
			return at;
		if (!at->inode)
			break;
	}
	if (f->used >= ENTRIES / 4 * 3)
		return &f->others;
	f->used++;
	*at = (struct entry){ .inode = r->inode, .dev = r->dev, .tgid = r->tgid,
			      .name = find_name(f, r) };
	return at;
}

static int on_record(void *arg, const struct flt_event_record *r)
{
	struct top *t = arg;
	struct entry *at;

	if (r->type != FLT_EVENT_FAULT || !r->inode || r->result > FLT_RESULT_MAJOR)
		return 0;
	at = find_entry(t->files, r);
	*(r->result == FLT_RESULT_MAJOR ? &at->major : &at->minor) += r->weight;
	at->time += flt_event_latency(r);
	at->octaves[flt_bucket_of(flt_event_latency(r)) >> FLT_BUCKET_SHIFT]++;
	return 0;
}

static int on_note(void *arg, const union flt_stream_note *head, const void *bytes)
{
	struct top *t = arg;

	if (head->record.type != FLT_EVENT_PATH)
		return 0;
	return flt_paths_put(t->files->paths, &head->path, bytes);
}

static int on_gap(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	struct top *t = arg;

	(void)cpu;
	(void)from;
	(void)to;
	t->lost += count;
	return 0;
}

int top_files_open(struct top *t, struct flt_errmsg *e)
{
	const struct flt_stream_wish wish = {
		.subbuf_size = SUBBUF_SIZE,
		.subbufs = SUBBUFS,
		.notes = true,
		.filter = { .results = 1u << FLT_RESULT_MAJOR |
			    (t->args->stream == TOP_STREAM_ALL ? 1u << FLT_RESULT_MINOR : 0) },
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
		flt_stream_close(t->files->stream);
		flt_paths_free(t->files->paths);
	}
	free(t->files);
	t->files = NULL;
}

int top_files_read(struct top *t, struct flt_errmsg *e)
{
	const struct flt_stream_sink sink = { .record = on_record, .note = on_note, .gap = on_gap, .arg = t };

	return t->files ? flt_stream_read(t->files->stream, &sink, e) : 0;
}

static const char *path_of(const struct top_files *f, const struct entry *at)
{
	return at->name < NAMES ? f->name[at->name].path : "(too many files)";
}

void top_files_of(const struct top *t, uint32_t tgid, char out[FLT_RANK_NAME])
{
	const struct entry *best = NULL, *at;
	size_t i;

	for (i = 0; t->files && i < ENTRIES; i++) {
		at = &t->files->entry[i];
		if (at->inode && at->tgid == tgid && at->major && (!best || at->major > best->major))
			best = at;
	}
	snprintf(out, FLT_RANK_NAME, "%s", best ? path_of(t->files, best) : "");
}

static struct flt_rank *rank_of(struct top *t, const struct entry *at)
{
	struct flt_account account = { .minor = at->minor, .major = at->major,
				       .latency_sum = at->time };
	struct flt_rank *r;
	uint32_t known = 1u << FLT_RANK_COMM | 1u << FLT_RANK_MAJOR | 1u << FLT_RANK_TIME |
			 1u << FLT_RANK_READ;

	if (t->args->stream == TOP_STREAM_ALL)
		known |= 1u << FLT_RANK_MINOR;
	memcpy(account.octaves, at->octaves, sizeof(account.octaves));
	r = flt_ranking_add(&t->ranking, &account, known);
	if (r)
		r->read = at->major * 4096;
	return r;
}

int top_files_rows(struct top *t)
{
	struct top_files *f = t->files;
	struct flt_rank *r;
	size_t i;

	for (i = 0; f && i < ENTRIES; i++) {
		if (!f->entry[i].inode)
			continue;
		r = rank_of(t, &f->entry[i]);
		if (!r)
			return -ENOMEM;
		snprintf(r->name, sizeof(r->name), "%s", path_of(f, &f->entry[i]));
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
	memset(f->entry, 0, sizeof(f->entry));
	f->others = (struct entry){ 0 };
	f->used = 0;
	/* No entry points to a name now. */
	if (f->named >= NAMES / 4 * 3) {
		memset(f->name, 0, sizeof(f->name));
		f->named = 0;
	}
}
