// SPDX-License-Identifier: GPL-2.0-or-later
/* picture.c - draw the last moment as a flame graph, or write its stacks for other tools. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cmd/rss/rss.h"
#include "model/recording/strings.h"
#include "picture/frames.h"
#include "text/text_file.h"
#include "text/units.h"
#include "view/export/export.h"
#include "view/svg/page.h"

#define NAME_BYTES_MAX (64u << 20)
/* Frames with a smaller share are left out, as they are narrower than a pixel. */
#define NARROW 0.0002
#define PAGE_ROWS 100

struct picture {
	struct rss_joined *j;
	const struct rss_moment *m;
	struct rss_rows rows;		/* by stack */
	struct flt_group group;
	struct flt_strings *strings;
	struct flt_flame flame;
	struct flt_flame_frame *frames;
	size_t count;
	char title[128], subtitle[512];
};

/* Count the resident pages of each stack like faults. */
static int group_make(struct picture *p)
{
	const struct rss_row *row;
	struct flt_group_key key;
	struct flt_fault fault;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < p->rows.count; i++) {
		row = &p->rows.rows[i];
		if (!row->parts.rss)
			continue;
		key = (struct flt_group_key){ row->image, row->stack, row->place };
		if (rss_row_nobody(row))
			key = (struct flt_group_key){ 1, 0, p->j->nobody[row->collapse] };
		fault = (struct flt_fault){ .weight = (uint32_t)row->parts.rss };
		ret = flt_group_add(&p->group, &key, &fault);
	}
	return ret;
}

/* Name the frames of pages without a fault. */
static void name_nobodies(const struct picture *p)
{
	const struct flt_frames *f;
	size_t i, k;

	for (k = 0; k < __FLT_RESIDENT_NOBODIES; k++) {
		f = flt_symbols_at(p->j->symbols, p->j->nobody[k]);
		for (i = 0; f && i < p->count; i++)
			if (p->frames[i].name == f->frame[0].function)
				p->frames[i].name = rss_nobodies[k];
	}
}

static void titles_write(struct picture *p)
{
	const char *command = flt_recording_info(p->j->load.rec, "command");
	const char *host = flt_recording_info(p->j->load.rec, "host");
	char size[FLT_UNITS_TEXT];

	flt_units_write_size(size, rss_bytes(p->m, p->rows.total.rss));
	snprintf(p->title, sizeof(p->title), "Resident memory at %s: %" PRIu64 " pages (%s)",
		 p->m->label, p->rows.total.rss, size);
	snprintf(p->subtitle, sizeof(p->subtitle), "%.300s%s%.80s",
		 command ? command : "running processes", host ? " on " : "", host ? host : "");
	p->flame.title = p->title;
	p->flame.subtitle = p->subtitle;
	p->flame.unit = "pages";
	p->flame.frames = p->frames;
	p->flame.count = p->count;
}

static void table_write(const struct picture *p, FILE *out)
{
	static const char *const heads[] = { "RSS", "Swap", "Function", "Source", "Object" };
	char rss[FLT_UNITS_TEXT], swap[FLT_UNITS_TEXT], source[256];
	const struct rss_row *row;
	struct rss_rows rows;
	const char *cells[5];
	size_t i;

	if (rss_rows_build(&rows, p->j, p->m, RSS_BY_LINE))
		return;
	flt_page_section(out, "Code", "The code whose fault brought the pages in.");
	flt_page_table_open(out, heads, 5, 2);
	for (i = 0; i < rows.count && i < PAGE_ROWS; i++) {
		row = &rows.rows[i];
		snprintf(source, sizeof(source), "%s:%u",
			 row->file ? flt_symbols_base(row->file) : "", row->line);
		cells[0] = flt_units_write_size(rss, rss_bytes(p->m, row->parts.rss));
		cells[1] = flt_units_write_size(swap, rss_bytes(p->m, row->parts.swap));
		cells[2] = rss_row_nobody(row) ? rss_row_nobody(row) : row->function;
		cells[3] = row->file ? source : "";
		cells[4] = row->object ? row->object : "";
		flt_page_table_row(out, cells, 5, 2);
	}
	flt_page_table_close(out);
	rss_rows_free(&rows);
}

static void fact_write(const struct picture *p, FILE *out, const char *name, uint64_t pages)
{
	char size[FLT_UNITS_TEXT], text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " pages, %s", pages,
		 flt_units_write_size(size, rss_bytes(p->m, pages)));
	flt_page_fact(out, name, text);
}

static void html_write(const struct picture *p, FILE *out)
{
	const struct rss_parts *t = &p->rows.total;

	flt_page_open(out, p->title, p->subtitle);
	fact_write(p, out, "anonymous", t->by[FLT_PRESENT_ANON]);
	fact_write(p, out, "file", t->by[FLT_PRESENT_FILE]);
	fact_write(p, out, "shmem", t->by[FLT_PRESENT_SHMEM]);
	fact_write(p, out, "shared", t->shared);
	fact_write(p, out, "huge", t->huge);
	fact_write(p, out, "swapped", t->swap);
	fact_write(p, out, "unknown", t->unknown);
	flt_page_section(out, "Stacks", "The width is the number of resident pages.");
	flt_flame_write(out, &p->flame, false);
	table_write(p, out);
	flt_page_close(out);
}

static int format_write(const struct picture *p, FILE *out)
{
	const struct rss_args *args = p->j->run->args;

	switch (args->picture) {
	case RSS_PICTURE_SVG:
		flt_flame_write(out, &p->flame, true);
		return 0;
	case RSS_PICTURE_HTML:
		html_write(p, out);
		return 0;
	case RSS_PICTURE_FOLDED:
		return flt_folded_write(out, p->frames, p->count);
	case RSS_PICTURE_SPEEDSCOPE:
		return flt_speedscope_write(out, p->frames, p->count, p->title);
	default:
		return flt_pprof_write(out, p->frames, p->count, FLT_PPROF_PAGES,
				       p->j->load.head.time, p->m->since);
	}
}

static int file_write(const struct picture *p, const char *name)
{
	const struct flt_command *command = p->j->run->command;
	FILE *out = strcmp(name, "-") ? fopen(name, "we") : stdout;
	int err, closed;

	if (!out) {
		err = -errno;
		flt_command_say(command, "cannot write %s: %s%s", name, strerror(-err),
				output_hint(-err));
		return flt_exit_of(err);
	}
	errno = 0;
	err = format_write(p, out);
	if (!err && ferror(out))
		err = errno ? -errno : -EIO;
	if (out != stdout) {
		closed = flt_text_file_close(out);
		err = err ? err : closed;
	}
	if (err) {
		flt_command_say(command, "cannot write %s: %s", name, strerror(-err));
		return flt_exit_of(err);
	}
	if (out != stdout)
		flt_command_say(command, "wrote %s", name);
	return FLT_EXIT_DONE;
}

int rss_picture_write(struct rss_joined *j)
{
	static const char *const names[] = { NULL, "rss.svg", "rss.html", "rss.folded",
					     "rss.speedscope.json", "rss.pb.gz" };
	const struct rss_args *args = j->run->args;
	const bool drawn = args->picture == RSS_PICTURE_SVG || args->picture == RSS_PICTURE_HTML;
	struct picture p = { .j = j, .m = &j->moments[j->count - 1] };
	int ret, status;

	p.strings = flt_strings_new(NAME_BYTES_MAX);
	ret = p.strings ? rss_rows_build(&p.rows, j, p.m, RSS_BY_STACK) : -ENOMEM;
	if (!ret)
		ret = group_make(&p);
	if (!ret)
		ret = flt_picture_frames(j->load.rec, j->symbols, p.strings, &p.group,
					 drawn ? NARROW : 0, &p.frames, &p.count, &p.flame.hidden);
	if (!ret) {
		name_nobodies(&p);
		titles_write(&p);
	}
	status = ret ? flt_command_fail(j->run->command, NULL, ret) :
		 file_write(&p, args->output ? args->output : names[args->picture]);
	free(p.frames);
	flt_group_free(&p.group);
	rss_rows_free(&p.rows);
	flt_strings_free(p.strings);
	return status;
}
