// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/map/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/cgroups.h"
#include "observe/loss.h"
#include "observe/members.h"
#include "observe/target.h"
#include "text/units.h"

static const char *const sort_names[] = {
	"faults", "latency", "majors", "refaults", "address", NULL,
};

static const char *const by_names[] = { "region", "cgroup", NULL };

#define MEMBER(m) offsetof(struct map_args, m)

static const struct flt_opt opts[] = {
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = MEMBER(pids),
	  .arg = "PID,...", .help = "Observe these processes from now on." },
	FLT_MEMBERS_OPT(struct map_args, cgroup),
	{ .name = "follow", .letter = 'f', .type = FLT_OPT_FLAG, .offset = MEMBER(follow),
	  .help = "Also observe children that the processes of -p fork from now on." },
	{ .name = "for", .type = FLT_OPT_DURATION, .offset = MEMBER(duration), .arg = "TIME",
	  .help = "Stop after TIME, e.g. 10s. A command still runs to its end." },
	{ .name = "by", .type = FLT_OPT_CHOICE, .offset = MEMBER(by), .choices = by_names,
	  .help = "Select the rows: one per region, or one per cgroup with the name of its "
		  "container or service." },
	{ .name = "sort", .letter = 's', .type = FLT_OPT_CHOICE, .offset = MEMBER(sort),
	  .choices = sort_names, .help = "Select the order of regions." },
	{ .name = "top", .letter = 'n', .type = FLT_OPT_U64, .offset = MEMBER(top), .arg = "N",
	  .help = "In the text, list the first N regions and the sum of the others. 0 lists all. "
		  "Default: 20." },
	{ .name = "heat", .type = FLT_OPT_FLAG, .offset = MEMBER(heat),
	  .help = "Print the heat map even without a terminal. In JSON and CSV, print its cells "
		  "as rows." },
	{ .name = "plot", .type = FLT_OPT_FILE, .offset = MEMBER(plot), .arg = "FILE",
	  .help = "Draw the heat map as SVG, with values under the pointer." },
	{ .name = "buffer", .letter = 'b', .type = FLT_OPT_SIZE, .offset = MEMBER(subbuf_size),
	  .arg = "SIZE", .min = 4096, .max = 1 << 20, .power_of_two = true,
	  .help = "Set the size of a sub-buffer. Default: 256KiB." },
	{ .name = "buffers", .letter = 'B', .type = FLT_OPT_U64, .offset = MEMBER(subbufs),
	  .arg = "N", .min = 2, .max = 64,
	  .help = "Set the number of sub-buffers per CPU. Default: 8." },
	FLT_CORRELATION_OPTS(struct map_args, with, "with-plot"),
	OUTPUT_OPT(struct map_args, output),
	FLT_TABLE_OPTS(struct map_args, style),
	{ 0 },
};

static int check_args(const struct map *m, const struct flt_words *words)
{
	const struct map_args *args = m->args;
	struct flt_target t = {
		.command = m->command, .pids = &args->pids, .cgroup = args->cgroup,
		.follow = args->follow,
		.takes_command = true, .takes_file = true,
		.missing = "-p PID, --cgroup DIR, a recording, or '-- COMMAND'",
	};
	int status = flt_target_read(&t, words);

	if (!status && t.file && args->duration)
		return flt_command_misuse(m->command, "--for and a recording exclude each other");
	if (!status && t.file && args->by == MAP_BY_CGROUP)
		return flt_command_misuse(m->command, "--by=cgroup and a recording exclude each "
					  "other, because a recording has no cgroups");
	return status;
}

/* Print the regions, the heat map and the findings. Return the exit status. */
static int report(struct map *m)
{
	bool blocks = m->args->style.format == FLT_FORMAT_TEXT &&
		      (m->args->heat || isatty(STDOUT_FILENO));
	int err = map_rows_make(m), status, shown;
	struct flt_loss loss = { 0 };

	if (!err && blocks)
		err = map_picture_blocks(m);
	if (!err)
		err = map_rows_write(m);
	if (err)
		return flt_command_fail(m->command, NULL, err);
	if (m->with && m->args->style.format == FLT_FORMAT_TEXT)
		putchar('\n');
	status = flt_correlation_report(m->with, stdout);
	fflush(stdout);
	if (!status && m->args->plot)
		status = map_picture_plot(m);
	loss.reuse = m->regions->unknown_reuse;
	shown = flt_loss_say(&loss, m->command);
	return status ? status : shown;
}

static int map_main(struct flt_run *run)
{
	struct map m = {
		.command = run->command, .args = run->args, .control = run->control,
		.control_message = run->control_message, .control_error = run->control_error,
	};
	struct flt_errmsg e = { "" };
	int status = check_args(&m, &run->words), shown, ret = 0;

	if (!status && m.args->by == MAP_BY_CGROUP)
		ret = flt_cgroups_open(&m.cgroups, m.control, &e);
	if (ret)
		status = flt_command_fail(m.command, &e, ret);
	if (!status)
		status = flt_correlation_new(&m.with, m.command, &m.args->with,
					     run->words.command, &m.args->style, NULL);
	if (status) {
		flt_cgroups_close(m.cgroups);
		return status;
	}
	status = output_redirect(&m.redirect, m.command, m.args->output);
	if (status)
		goto out;
	status = run->words.argc ? map_file(&m, run->words.argv[0]) :
				   map_live(&m, run->words.command);
	/* There are no regions after an error, which was printed. */
	if (m.regions) {
		shown = report(&m);
		status = status ? status : shown;
	}
out:
	flt_regions_free(m.regions);
	flt_cgroups_close(m.cgroups);
	flt_correlation_free(m.with);
	free(m.rows);
	free(m.subject);
	return output_restore(&m.redirect, m.command, status);
}

const struct flt_command flt_command_map = {
	.name = "map",
	.summary = "show which regions of memory fault most, and in which order",
	.synopsis = (const char *const[]){
		"[options] -p PID,...",
		"[options] FILE",
		"[options] -- COMMAND [ARGUMENT...]", NULL },
	.about = (const char *const[]){
		"Attributes page faults to mappings - heap, stack, files, anonymous memory by "
		"name, shared memory - even if the mapping is gone by now. Shows for each region "
		"how often it faulted, the kinds of faults, their cost, the order of accesses, "
		"and advice.",
		"With -p, observes processes from now until Ctrl-C, the end of --for or the end "
		"of the processes. With a command, observes the command and its children until "
		"the command ends. With FILE, reads a recording of fltctl record.",
		"On a terminal, a heat map comes first: addresses go down, time goes right, gaps "
		"are left out. --plot draws the heat map for a browser: the region that faults "
		"most comes first, and regions with less than 1 % of the faults share one strip "
		"per process.",
		NULL },
	.opts = opts,
	.defaults = &(const struct map_args){ .subbuf_size = 256 << 10, .subbufs = 8, .top = 20 },
	.args_size = sizeof(struct map_args),
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = map_main,
};
