// SPDX-License-Identifier: GPL-2.0-or-later
/* pprof's profile.proto: messages by field number, see github.com/google/pprof/proto. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text/escape.h"
#include "text/text_file.h"
#include "view/export/export.h"
#include "view/export/frameset.h"
#include "view/export/gzip.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_DEFAULT_TYPE = 14
};

/* Strings 0 to 5 are fixed. Function k has strings 6 + 2k (name) and 7 + 2k (object). */
static const char *const strings[] = { "", "faults", "count", "first_touches", "refaults",
				       "pages" };
enum { STRING_FAULTS = 1, STRING_COUNT, STRING_FIRST, STRING_REFAULTS, STRING_PAGES };
#define STRINGS (sizeof(strings) / sizeof(strings[0]))

struct message {
	unsigned char *data;
	size_t size, room;
	int err;
};

static void byte_add(struct message *m, unsigned char byte)
{
	unsigned char *more;
	size_t room;

	if (m->size == m->room) {
		room = m->room ? m->room * 2 : 256;
		more = realloc(m->data, room);
		if (!more) {
			m->err = -ENOMEM;
			return;
		}
		m->data = more;
		m->room = room;
	}
	m->data[m->size++] = byte;
}

static void varint(struct message *m, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		byte_add(m, (unsigned char)(value | 0x80));
	byte_add(m, (unsigned char)value);
}

static void number(struct message *m, unsigned int field, uint64_t value)
{
	varint(m, (uint64_t)field << 3);
	varint(m, value);
}

static void bytes(struct message *m, unsigned int field, const void *data, size_t size)
{
	const unsigned char *at = data;

	varint(m, (uint64_t)field << 3 | 2);
	varint(m, size);
	while (size--)
		byte_add(m, *at++);
}

/* Write the message as a field of the profile, and empty it. */
static void field_end(FILE *out, unsigned int field, struct message *m)
{
	struct message head = { .err = m->err };

	varint(&head, (uint64_t)field << 3 | 2);
	varint(&head, m->size);
	if (!head.err) {
		fwrite(head.data, 1, head.size, out);
		fwrite(m->data, 1, m->size, out);
	}
	m->err = head.err;
	free(head.data);
	m->size = 0;
}

static void value_type(FILE *out, unsigned int field, uint64_t type, struct message *m)
{
	number(m, 1, type);
	number(m, 2, STRING_COUNT);
	field_end(out, field, m);
}

static void samples_write(FILE *out, const struct flt_frameset *set,
			  const struct flt_flame_frame *frames, size_t n,
			  enum flt_pprof_values values, uint64_t (*own)[2], uint32_t *path,
			  struct message *m)
{
	struct message list = { 0 };
	size_t i, k;

	for (i = 0; i < n; i++) {
		path[frames[i].depth] = set->ids[i];
		if (!frames[i].self || !frames[i].depth)
			continue;
		for (k = frames[i].depth; k > 0; k--)	/* innermost first */
			varint(&list, path[k] + 1);
		bytes(m, 1, list.data, list.size);
		list.size = 0;
		varint(&list, frames[i].self);
		if (values == FLT_PPROF_FAULTS) {
			varint(&list, own[i][0]);
			varint(&list, own[i][1]);
		}
		bytes(m, 2, list.data, list.size);
		list.size = 0;
		m->err = m->err ? m->err : list.err;
		field_end(out, PROFILE_SAMPLE, m);
	}
	free(list.data);
}

static void string_write(FILE *out, const char *text, struct message *m)
{
	size_t length = strlen(text), room = length * FLT_ESCAPE_GROWTH + 1;
	char *plain = malloc(room);

	if (!plain) {
		m->err = -ENOMEM;
		return;
	}
	/* proto3 strings must be UTF-8. */
	flt_escape_text(plain, room, text, length);
	length = strlen(plain);
	m->size = 0;
	while (length--)
		byte_add(m, (unsigned char)plain[m->size]);
	free(plain);
	field_end(out, PROFILE_STRING, m);
}

static void functions_write(FILE *out, const struct flt_frameset *set, struct message *m)
{
	struct message line = { 0 };
	uint32_t k;

	for (k = 0; k < set->count; k++) {
		number(m, 1, k + 1);
		number(&line, 1, k + 1);
		bytes(m, 4, line.data, line.size);
		line.size = 0;
		m->err = m->err ? m->err : line.err;
		field_end(out, PROFILE_LOCATION, m);
		number(m, 1, k + 1);
		number(m, 2, STRINGS + 2ull * k);
		number(m, 3, STRINGS + 2ull * k);
		number(m, 4, STRINGS + 2ull * k + 1);
		field_end(out, PROFILE_FUNCTION, m);
	}
	for (k = 0; k < STRINGS; k++)
		string_write(out, strings[k], m);
	for (k = 0; k < set->count; k++) {
		string_write(out, set->functions[k]->name, m);
		string_write(out, set->functions[k]->object ? set->functions[k]->object : "", m);
	}
	free(line.data);
}

/* Subtract the totals of children, which leaves the values of each frame alone. */
static void own_values(const struct flt_flame_frame *frames, size_t n, uint64_t (*own)[2],
		       uint32_t *path)
{
	size_t i;

	for (i = 0; i < n; i++) {
		own[i][0] += frames[i].alloc;
		own[i][1] += frames[i].refault;
		path[frames[i].depth] = (uint32_t)i;
		if (!frames[i].depth)
			continue;
		own[path[frames[i].depth - 1]][0] -= frames[i].alloc;
		own[path[frames[i].depth - 1]][1] -= frames[i].refault;
	}
}

static int profile_write(FILE *out, const struct flt_flame_frame *frames, size_t n,
			 enum flt_pprof_values values, uint64_t time_ns, uint64_t duration_ns)
{
	const uint64_t first = values == FLT_PPROF_FAULTS ? STRING_FAULTS : STRING_PAGES;
	struct message m = { 0 };
	struct flt_frameset set;
	uint64_t (*own)[2];
	uint32_t depth = 0, *path;
	size_t i;
	int err;

	for (i = 0; i < n; i++)
		if (frames[i].depth > depth)
			depth = frames[i].depth;
	path = calloc((size_t)depth + 1, sizeof(*path));
	own = calloc(n + 1, sizeof(*own));
	err = path && own ? flt_frameset_make(&set, frames, n) : -ENOMEM;
	if (err)
		goto out;
	own_values(frames, n, own, path);
	value_type(out, PROFILE_SAMPLE_TYPE, first, &m);
	if (values == FLT_PPROF_FAULTS) {
		value_type(out, PROFILE_SAMPLE_TYPE, STRING_FIRST, &m);
		value_type(out, PROFILE_SAMPLE_TYPE, STRING_REFAULTS, &m);
	}
	samples_write(out, &set, frames, n, values, own, path, &m);
	functions_write(out, &set, &m);
	number(&m, PROFILE_TIME, time_ns);
	number(&m, PROFILE_DURATION, duration_ns);
	number(&m, PROFILE_PERIOD, 1);
	/* default_sample_type, because readers use the last type, refaults, without it */
	number(&m, PROFILE_DEFAULT_TYPE, first);
	if (!m.err)
		fwrite(m.data, 1, m.size, out);
	m.size = 0;
	value_type(out, PROFILE_PERIOD_TYPE, first, &m);
	err = m.err;
	free(m.data);
	flt_frameset_free(&set);
out:
	free(path);
	free(own);
	return err;
}

int flt_pprof_write(FILE *out, const struct flt_flame_frame *frames, size_t n,
		    enum flt_pprof_values values, uint64_t time_ns, uint64_t duration_ns)
{
	char *profile = NULL;
	size_t size;
	FILE *plain = open_memstream(&profile, &size);
	int err;

	if (!plain)
		return -ENOMEM;
	err = profile_write(plain, frames, n, values, time_ns, duration_ns);
	if (flt_text_file_close(plain))
		err = -ENOMEM;
	if (!err)
		err = flt_gzip_write(out, profile, size);
	free(profile);
	return err;
}
