// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/code/jitdump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/code/jitfile.h"
#include "index/array.h"
#include "model/recording/strings.h"
#include "text/escape.h"

#define MAGIC 0x4a695444u	/* "JiTD" */
#define VERSION 1u
#define LOAD 0u
#define MOVE 1u
#define DEBUG_INFO 2u

/* Limits for malicious files. */
#define RECORD_MAX (16u << 20)
#define FUNCTIONS_MAX (4u << 20)
#define LINES_MAX (16u << 20)
#define STRING_BYTES_MAX (256u << 20)

/*
 * V8 adds the size of an ELF header to the addresses of lines, because perf inject writes the
 * code behind such a header. Other compilers do not.
 */
#define ELF_HEADER 0x40u

struct file_head {
	uint32_t magic, version, size, machine, unused, pid;
	uint64_t time, flags;
};

struct record_head {
	uint32_t type, size;	/* size includes this head */
	uint64_t time;
};

/* A name and the code follow. */
struct load_record {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move_record {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

/* The head of DEBUG_INFO, and an entry, which a name follows. */
struct debug_record {
	uint64_t address, count;
};

struct debug_entry {
	uint64_t address;
	uint32_t line, discriminator;
};

struct line {
	uint64_t offset;	/* in its function */
	const char *file;
	uint32_t number;
};

struct function {
	uint64_t start, end, index;
	const char *name;
	uint32_t first_line, line_count;
	uint32_t order;		/* in the file */
};

struct flt_jitdump {
	struct function *functions;	/* by address, then by order */
	uint32_t count, room;
	struct line *lines;
	uint32_t line_count, line_room;
	/* Lines of the next function. */
	uint64_t pending_address;
	uint32_t pending_first;
	uint64_t least;			/* smallest offset of the first line of a function */
	struct flt_strings *strings;
};

bool flt_jitdump_is_path(const char *path, uint32_t pid)
{
	const char *slash = strrchr(path, '/');
	char name[32];

	snprintf(name, sizeof(name), "jit-%u.dump", pid);
	return slash && !strcmp(slash + 1, name);
}

static void add_function(struct flt_jitdump *d, const struct function *f)
{
	if (d->count >= FUNCTIONS_MAX || !f->name || f->end <= f->start ||
	    flt_array_grow((void **)&d->functions, d->count, &d->room, sizeof(*f)))
		return;
	d->functions[d->count] = *f;
	d->functions[d->count].order = d->count;
	d->count++;
}

static void read_load(struct flt_jitdump *d, const char *body, size_t size)
{
	const char *name = body + sizeof(struct load_record);
	struct load_record r;
	struct function f;

	if (size <= sizeof(r) || !memchr(name, '\0', size - sizeof(r)))
		return;
	memcpy(&r, body, sizeof(r));
	f = (struct function){
		.start = r.address, .end = r.address + r.size, .index = r.index,
		.name = flt_strings_add(d->strings, name),
	};
	if (d->pending_address == r.address && d->line_count > d->pending_first) {
		f.first_line = d->pending_first;
		f.line_count = d->line_count - d->pending_first;
	}
	d->pending_first = d->line_count;
	add_function(d, &f);
}

static void read_move(struct flt_jitdump *d, const char *body, size_t size)
{
	struct move_record r;
	struct function f;
	uint32_t i;

	if (size < sizeof(r))
		return;
	memcpy(&r, body, sizeof(r));
	for (i = d->count; i-- > 0;) {
		f = d->functions[i];
		if (f.index != r.index || f.start != r.from)
			continue;
		f.start = r.to;
		f.end = r.to + r.size;
		add_function(d, &f);
		return;
	}
}

static void add_line(struct flt_jitdump *d, const struct line *line)
{
	if (d->line_count >= LINES_MAX || !line->file ||
	    flt_array_grow((void **)&d->lines, d->line_count, &d->line_room, sizeof(*line)))
		return;
	d->lines[d->line_count++] = *line;
}

/* V8 may write the name of a script that was already freed. */
static bool is_file_name(const char *name)
{
	size_t left = strlen(name), n;
	uint32_t point;

	for (; left; name += n, left -= n) {
		n = flt_escape_decode(name, left, &point);
		if (!n || point < ' ')
			return false;
	}
	return true;
}

/* The lines of a function precede its code. */
static void read_debug(struct flt_jitdump *d, const char *body, size_t size)
{
	const char *file = NULL, *end, *at = body + sizeof(struct debug_record);
	struct debug_record r;
	struct debug_entry e;
	size_t left;

	if (size < sizeof(r))
		return;
	memcpy(&r, body, sizeof(r));
	d->pending_address = r.address;
	d->pending_first = d->line_count;
	for (left = size - sizeof(r); r.count && left > sizeof(e); r.count--) {
		memcpy(&e, at, sizeof(e));
		at += sizeof(e);
		left -= sizeof(e);
		end = memchr(at, '\0', left);
		if (!end || e.address < r.address)
			return;
		/* "\xff": the same name as before. */
		if (strcmp(at, "\xff") || !file)
			file = is_file_name(at) ? flt_strings_add(d->strings, at) : NULL;
		left -= (size_t)(end + 1 - at);
		at = end + 1;
		if (d->line_count == d->pending_first && e.address - r.address < d->least)
			d->least = e.address - r.address;
		add_line(d, &(struct line){ e.address - r.address, file, e.line });
	}
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Read records until the end, or until one that is cut off: the program may still write. */
static void read_records(struct flt_jitdump *d, FILE *file, char *body)
{
	struct record_head head;
	size_t size, kept;

	while (fread(&head, sizeof(head), 1, file) == 1 && head.size >= sizeof(head)) {
		size = head.size - sizeof(head);
		kept = size < RECORD_MAX ? size : RECORD_MAX;
		if (fread(body, 1, kept, file) != kept ||
		    (size > kept && fseeko(file, (off_t)(size - kept), SEEK_CUR)))
			return;
		if (head.type == LOAD)
			read_load(d, body, kept);
		else if (head.type == MOVE)
			read_move(d, body, kept);
		else if (head.type == DEBUG_INFO)
			read_debug(d, body, kept);
	}
}

static bool read_head(FILE *file, uint32_t pid)
{
	struct file_head head;

	return fread(&head, sizeof(head), 1, file) == 1 && head.magic == MAGIC &&
	       head.version == VERSION && head.pid == pid && head.size >= sizeof(head) &&
	       !fseeko(file, head.size, SEEK_SET);
}

struct flt_jitdump *flt_jitdump_load(const char *path, uint32_t pid)
{
	struct flt_jitdump *d = NULL;
	FILE *file = flt_jit_file_open(path);
	char *body = NULL;

	if (!file)
		return NULL;
	if (read_head(file, pid)) {
		d = calloc(1, sizeof(*d));
		body = malloc(RECORD_MAX);
	}
	if (d && body && (d->strings = flt_strings_new(STRING_BYTES_MAX))) {
		d->least = ~0ull;
		read_records(d, file, body);
		if (d->count)
			qsort(d->functions, d->count, sizeof(*d->functions), by_address);
	} else {
		flt_jitdump_free(d);
		d = NULL;
	}
	free(body);
	fclose(file);
	return d;
}

void flt_jitdump_free(struct flt_jitdump *d)
{
	if (!d)
		return;
	free(d->functions);
	free(d->lines);
	flt_strings_free(d->strings);
	free(d);
}

static void find_line(const struct flt_jitdump *d, const struct function *f,
		      struct flt_jitdump_code *code)
{
	uint64_t shift = d->least >= ELF_HEADER ? ELF_HEADER : 0, best = 0;
	const struct line *line;
	uint32_t i;

	for (i = 0; i < f->line_count; i++) {
		line = &d->lines[f->first_line + i];
		if (line->offset - shift > code->offset || (code->file && line->offset < best))
			continue;
		best = line->offset;
		code->file = line->file;
		code->line = line->number;
	}
}

bool flt_jitdump_find(const struct flt_jitdump *d, uint64_t address, struct flt_jitdump_code *code)
{
	uint32_t low = 0, high = d->count, middle;
	const struct function *f;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (d->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* The last of several functions at an address is valid, because code is replaced. */
	if (!low || d->functions[low - 1].end <= address)
		return false;
	f = &d->functions[low - 1];
	*code = (struct flt_jitdump_code){
		.function = f->name, .offset = address - f->start,
	};
	find_line(d, f, code);
	return true;
}
