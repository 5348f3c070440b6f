// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/visualize/visualize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "cli/output.h"
#include "model/recording/strings.h"
#include "picture/frames.h"
#include "text/text_file.h"
#include "timeline/regions.h"
#include "view/export/export.h"

#define NAME_BYTES_MAX (64u << 20)
/* Frames with a smaller share of the faults are left out, as they are narrower than a pixel. */
#define NARROW 0.0002

#define AT(member) offsetof(struct flt_visualize_args, member)

#define PICTURE(word, which, text) \
	{ .name = word, .type = FLT_OPT_SET, .offset = AT(picture), .value = which, .help = text }

static const struct flt_opt opts[] = {
	FLT_LOAD_INPUT_OPT(struct flt_visualize_args, input),
	{ .name = "output", .letter = 'o', .type = FLT_OPT_FILE, .offset = AT(output),
	  .arg = "FILE",
	  .help = "Write to FILE; - is standard output. Default: flt.svg and flt-alloc.svg, "
		  "flt.html, flt.folded, flt.speedscope.json, flt.perfetto-trace or flt.pb.gz." },
	PICTURE("svg", FLT_PICTURE_SVG, "Write interactive flame graphs: one of all faults and "
					"one of first touches. The default."),
	PICTURE("html", FLT_PICTURE_HTML, "Write one page with flame graphs, memory over time, a "
					  "heat map of addresses and the top call sites."),
	PICTURE("folded", FLT_PICTURE_FOLDED, "Write stacks as text, one line per stack with its "
					      "count."),
	PICTURE("speedscope", FLT_PICTURE_SPEEDSCOPE, "Write input of speedscope.app."),
	PICTURE("perfetto", FLT_PICTURE_PERFETTO, "Write faults over time as a trace for "
						  "ui.perfetto.dev."),
	PICTURE("pprof", FLT_PICTURE_PPROF, "Write a compressed protocol buffer for pprof."),
	{ .name = "min-percent", .type = FLT_OPT_U64, .offset = AT(min_percent), .arg = "N",
	  .max = 100,
	  .help = "Leave frames with less than N percent of the faults out of flame graphs. "
		  "Default: 0, which leaves out frames narrower than a pixel." },
	FLT_CAPTURE_FOR_OPT(struct flt_visualize_args, duration),
	FLT_LOAD_FILTER_OPTS(struct flt_visualize_args, filter),
	FLT_SYMBOL_OPTS(struct flt_visualize_args, symbols),
	FLT_SYMBOL_INTERNALS_OPT(struct flt_visualize_args, symbols),
	{ 0 },
};

/* Count a fault for the heat map and the rates of the page. */
static int add_to_page(struct flt_visualize *v, const struct flt_fault *f)
{
	int err = flt_timeline_region_fault(v->regions, v->load.rec, f);

	if (!err)
		err = flt_heat_add(&v->rates, FLT_RATE_ALL, 0, f->time, f->weight,
				   f->flags & FLT_FAULT_REFAULT);
	if (!err && f->flags & FLT_FAULT_MAJOR)
		err = flt_heat_add(&v->rates, FLT_RATE_MAJOR, 0, f->time, f->weight, false);
	return err;
}

/* Make the regions of the page, if there are none. The page size of the recording is known. */
static int regions_need(struct flt_visualize *v)
{
	if (v->regions || v->args->picture != FLT_PICTURE_HTML)
		return 0;
	return flt_regions_new(&v->regions, flt_recording_page_size(v->load.rec), 0);
}

static int on_faults(void *arg, struct flt_load *load, const struct flt_fault *faults, size_t n)
{
	struct flt_visualize *v = arg;
	struct flt_group_key key;
	size_t i;
	int err = regions_need(v);

	if (err)
		return err;
	flt_load_filter_clock(&v->args->filter, load, &v->filter);
	if (v->regions && !v->rates.begun && n) {
		flt_heat_begin(&v->rates, faults[0].time);
		flt_heat_begin(&v->regions->heat, faults[0].time);
	}
	for (i = 0; i < n; i++) {
		if (!flt_fault_filter_match(&v->filter, load->rec, &faults[i]))
			continue;
		err = flt_sites_key(FLT_BY_STACK, load->rec, &faults[i], &key);
		if (!err)
			err = flt_group_add(&v->stacks, &key, &faults[i]);
		if (!err && faults[i].flags & FLT_FAULT_ALLOC)
			err = flt_group_add(&v->first, &key, &faults[i]);
		if (!err && v->regions)
			err = add_to_page(v, &faults[i]);
		if (err)
			return err;
	}
	return 0;
}

int flt_visualize_frames(struct flt_visualize *v, const struct flt_group *group, double least,
			 struct flt_flame_frame **frames, size_t *count, uint64_t *hidden)
{
	if (least < (double)v->args->min_percent / 100)
		least = (double)v->args->min_percent / 100;
	return flt_picture_frames(v->load.rec, v->symbols, v->strings, group, least, frames, count,
				  hidden);
}

void flt_visualize_subtitle(const struct flt_visualize *v, char *text, size_t size)
{
	const char *command = flt_recording_info(v->load.rec, "command");
	const char *host = flt_recording_info(v->load.rec, "host");

	snprintf(text, size, "%.300s%s%.80s%s%s", command ? command : v->name, host ? " on " : "",
		 host ? host : "",
		 v->load.rec->end.head.type && !v->load.damaged ? "" : ", incomplete",
		 v->load.lost[0] ? ", with losses" : "");
}

static int svg_write(struct flt_visualize *v, FILE *out, const struct flt_group *group,
		     const char *what)
{
	struct flt_flame_frame *frames;
	struct flt_flame flame = { 0 };
	char subtitle[512], title[128];
	int err;

	err = flt_visualize_frames(v, group, NARROW, &frames, &flame.count, &flame.hidden);
	if (err)
		return err;
	flt_visualize_subtitle(v, subtitle, sizeof(subtitle));
	snprintf(title, sizeof(title), "%s: %" PRIu64, what, flame.count ? frames[0].total : 0);
	flame.title = title;
	flame.subtitle = subtitle;
	flame.frames = frames;
	flt_flame_write(out, &flame, true);
	free(frames);
	return 0;
}

static int stacks_write(struct flt_visualize *v, FILE *out)
{
	struct flt_flame_frame *frames;
	uint64_t hidden;
	size_t n;
	int err;

	err = flt_visualize_frames(v, &v->stacks, 0, &frames, &n, &hidden);
	if (err)
		return err;
	switch (v->args->picture) {
	case FLT_PICTURE_FOLDED:
		err = flt_folded_write(out, frames, n);
		break;
	case FLT_PICTURE_SPEEDSCOPE:
		err = flt_speedscope_write(out, frames, n, v->name);
		break;
	default:
		err = flt_pprof_write(out, frames, n, FLT_PPROF_FAULTS, v->load.head.time,
				      v->load.last > v->load.first ?
				      v->load.last - v->load.first : 0);
		break;
	}
	free(frames);
	return err;
}

static int picture_write(struct flt_visualize *v, FILE *out, bool first)
{
	switch (v->args->picture) {
	case FLT_PICTURE_SVG:
		return svg_write(v, out, first ? &v->first : &v->stacks,
				 first ? "First touches" : "Page faults");
	case FLT_PICTURE_HTML:
		return flt_visualize_html(v, out);
	case FLT_PICTURE_PERFETTO:
		return flt_visualize_perfetto(v, out);
	default:
		return stacks_write(v, out);
	}
}

static int file_write(struct flt_visualize *v, const char *name, bool first)
{
	FILE *out = stdout;
	int err, closed;

	if (strcmp(name, "-")) {
		out = fopen(name, "we");
		if (!out) {
			err = -errno;
			flt_command_say(v->run->command, "cannot write %s: %s%s", name,
					strerror(-err), output_hint(-err));
			return flt_exit_of(err);
		}
	}
	errno = 0;
	err = picture_write(v, out, first);
	flt_progress_erase(&v->progress);
	/* Read errno before fclose(), which may have nothing left to write. */
	if (!err && ferror(out))
		err = errno ? -errno : -EIO;
	if (out != stdout) {
		closed = flt_text_file_close(out);
		err = err ? err : closed;
	}
	if (err) {
		flt_command_say(v->run->command, "cannot write %s: %s", name, strerror(-err));
		return flt_exit_of(err);
	}
	if (out != stdout)
		flt_command_say(v->run->command, "wrote %s", name);
	return FLT_EXIT_DONE;
}

static int files_write(struct flt_visualize *v)
{
	static const char *const names[] = { "flt.svg", "flt.html", "flt.folded",
					     "flt.speedscope.json", "flt.perfetto-trace",
					     "flt.pb.gz" };
	int status;

	if (v->args->output)
		return file_write(v, v->args->output, false);
	status = file_write(v, names[v->args->picture], false);
	if (!status && v->args->picture == FLT_PICTURE_SVG)
		status = file_write(v, "flt-alloc.svg", true);
	return status;
}

/*
 * Return a name of the recording for titles. A temporary recording is named after its command,
 * or after its processes, written to text.
 */
static const char *recording_name(const struct flt_visualize *v, char *text, size_t size)
{
	const struct flt_ids *pids = &v->args->filter.pids;
	size_t i, used;

	if (v->run->words.command)
		return v->run->words.command[0];
	if (!v->args->duration)
		return v->path;
	used = (size_t)snprintf(text, size, "process%s", pids->count > 1 ? "es" : "");
	for (i = 0; i < pids->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s %" PRIu32, i ? "," : "",
					 pids->id[i]);
	return text;
}

static void show_symbols(void *arg, const char *object)
{
	struct flt_visualize *v = arg;

	flt_progress_show(&v->progress, "looking up symbols in %s", object);
}

/* Draw the recording at path. Return the exit status. */
static int draw(void *arg, const char *path)
{
	struct flt_visualize *v = arg;
	char name[128];
	int status, err;

	v->path = path;
	v->name = recording_name(v, name, sizeof(name));
	flt_progress_begin(&v->progress, !v->args->output || strcmp(v->args->output, "-"));
	v->load.progress = &v->progress;
	v->load.internals = v->args->symbols.internals;
	v->load.kinds = v->filter.kinds;
	v->load.pids = v->args->duration ? NULL : &v->args->filter.pids;
	status = flt_load_file(&v->load, v->run->command, path, on_faults, v);
	if (status)
		return status;
	/* The recording may have no faults. */
	err = regions_need(v);
	if (!err)
		err = flt_symbols_new(&v->symbols, v->load.rec, &v->args->symbols);
	if (!err)
		flt_symbols_watch(v->symbols, show_symbols, v);
	status = err ? flt_command_fail(v->run->command, NULL, err) : files_write(v);
	return status ? status : flt_load_verdict(&v->load);
}

static int visualize_main(struct flt_run *run)
{
	const struct flt_visualize_args *args = run->args;
	struct flt_visualize v = { .run = run, .args = args };
	const struct flt_capture_input input = {
		.file = args->input, .pids = &args->filter.pids, .duration = args->duration,
		.show = draw, .arg = &v,
	};
	int status;

	if (run->words.argc > (args->input ? 0 : 1))
		return flt_command_misuse(run->command, "unexpected argument '%s' (give one "
					  "recording)", run->words.argv[run->words.argc - 1]);
	status = flt_load_filter_parse(run->command, &args->filter, &v.filter);
	if (status)
		return status;
	v.strings = flt_strings_new(NAME_BYTES_MAX);
	if (!v.strings)
		status = flt_command_fail(run->command, NULL, -ENOMEM);
	else
		status = flt_capture_show(run, &input);
	flt_symbols_free(v.symbols);
	flt_strings_free(v.strings);
	flt_group_free(&v.stacks);
	flt_group_free(&v.first);
	flt_regions_free(v.regions);
	flt_heat_free(&v.rates);
	flt_load_free(&v.load);
	return status;
}

const struct flt_command flt_command_visualize = {
	.name = "visualize",
	.summary = "draw recorded faults: flame graphs, heat map, memory over time",
	.synopsis = (const char *const[]){ "[OPTION...] [FILE]",
					   "[OPTION...] -p PID,... --for TIME",
					   "[OPTION...] -- COMMAND [ARG...]", NULL },
	.about = (const char *const[]){
		"Draws a recording. Flame graphs show call stacks: the outermost function on "
		"top, as wide as its share of the faults. Click to zoom, search by name, move "
		"with the arrow keys; Esc resets. Colours show reads and writes if the recording "
		"tells them apart.",
		"The page of --html adds resident and evicted memory and the fault rate over "
		"time, a map of faults by address and time, and a table of the code with the "
		"most faults. Pages and pictures are self-contained files.",
		"--folded, --speedscope, --perfetto and --pprof write the same data for other "
		"tools.",
		"With a command, or with -p and --for, the faults are recorded now, into a file "
		"that is gone afterwards. Use fltctl record for its options, and to keep the "
		"recording.",
		NULL },
	.opts = opts,
	.args_size = sizeof(struct flt_visualize_args),
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = visualize_main,
};
