// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cli/output.h"
#include "model/recording/filter.h"
#include "source/proc/cgroup.h"
#include "observe/target.h"
#include "text/units.h"
#include "timeline/timeline.h"
#include "timeline/unwind_by.h"

/* Bytes of stack copied for unwinding. */
#define SLICE 8192

static const char *const result_names[] = { "all", "min", "maj", "failed", NULL };
static const char *const channel_names[] = { "auto", "relay", "netlink", NULL };
static const char *const by_names[] = { "fault", "cgroup", NULL };
static const uint32_t result_bits[] = {
	0, 1u << FLT_RESULT_MINOR, 1u << FLT_RESULT_MAJOR, 1u << FLT_RESULT_FAILED,
};

#define MEMBER(m) offsetof(struct trace_args, m)

static const struct flt_opt opts[] = {
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = MEMBER(pids),
	  .arg = "PID,...", .help = "Show only these processes." },
	{ .name = "follow", .letter = 'f', .type = FLT_OPT_FLAG, .offset = MEMBER(follow),
	  .help = "Also trace children that the processes of -p fork from now on." },
	{ .name = "filter", .letter = 'F', .type = FLT_OPT_CHOICE, .offset = MEMBER(results),
	  .choices = result_names, .help = "Print only minor, major or failed faults." },
	{ .name = "kind", .letter = 'k', .type = FLT_OPT_STRING, .offset = MEMBER(kinds),
	  .arg = "KIND,...", .help = "Print only faults of these kinds: "
		  FLT_FAULT_FILTER_KINDS "." },
	{ .name = "latency", .letter = 'l', .type = FLT_OPT_DURATION, .offset = MEMBER(latency),
	  .arg = "TIME", .help = "Print only faults that took at least TIME, e.g. 50us or 1ms." },
	{ .name = "address", .letter = 'A', .type = FLT_OPT_STRING, .offset = MEMBER(address),
	  .arg = "FROM[-TO]", .help = "Print only faults at these hexadecimal addresses, TO not "
		  "included." },
	{ .name = "file", .type = FLT_OPT_FILE, .offset = MEMBER(file), .arg = "PATH",
	  .help = "Print only faults in mappings of this file (on overlayfs before Linux 6.8: of "
		  "the file in the lower layer)." },
	{ .name = "comm", .letter = 'c', .type = FLT_OPT_STRING, .offset = MEMBER(comm),
	  .arg = "NAME", .help = "Print only faults of threads with this name." },
	{ .name = "user", .letter = 'u', .type = FLT_OPT_STRING, .offset = MEMBER(user),
	  .arg = "USER", .help = "Print only faults of this effective user, a name or a number." },
	{ .name = "cgroup", .letter = 'G', .type = FLT_OPT_FILE, .offset = MEMBER(cgroup),
	  .arg = "DIR",
	  .help = "Print only faults of processes in this cgroup or below: a directory of "
		  "cgroup2, e.g. /sys/fs/cgroup/system.slice." },
	{ .name = "by", .type = FLT_OPT_CHOICE, .offset = MEMBER(by), .choices = by_names,
	  .help = "Print a line per fault, or, at the end, a row per cgroup with the faults that "
		  "pass the filters and the name of the container or service." },
	{ .name = "sample", .letter = 's', .type = FLT_OPT_U64, .offset = MEMBER(sample),
	  .arg = "N", .min = 1, .max = UINT16_MAX, .help = "Print one of N faults on each CPU." },
	{ .name = "stacks", .letter = 'S', .type = FLT_OPT_FLAG, .offset = MEMBER(stacks),
	  .help = "Print the call stack below each line, innermost function first." },
	{ .name = "unwind", .type = FLT_OPT_CHOICE, .offset = MEMBER(unwind),
	  .choices = flt_unwind_by_names,
	  .help = "Find callers by frame pointers (fp), which is cheap but misses callers in "
		  "code compiled without frame pointers, or by unwind tables (dwarf) from 8 KiB "
		  "of stack copied at each fault. With libdw, elfutils reads the tables instead "
		  "of libunwind. Implies --stacks." },
	{ .name = "max-stack", .type = FLT_OPT_U64, .offset = MEMBER(max_stack), .arg = "N",
	  .min = 1, .max = 127, .help = "Keep at most N frames per stack, the faulting "
		  "instruction included. Default: 127." },
	{ .name = "why", .type = FLT_OPT_FLAG, .offset = MEMBER(why),
	  .help = "Show what each fault spent most of its time on, and in JSON and CSV all parts "
		  "of its latency, as fltctl lat --why does for all faults." },
	{ .name = "count", .letter = 'n', .type = FLT_OPT_U64, .offset = MEMBER(count), .arg = "N",
	  .help = "Stop after N faults." },
	{ .name = "buffer", .letter = 'b', .type = FLT_OPT_SIZE, .offset = MEMBER(subbuf_size),
	  .arg = "SIZE", .min = 4096, .max = 1 << 20, .power_of_two = true,
	  .help = "Set the size of a sub-buffer. Default: 256KiB, or 1MiB with "
		  "--unwind=dwarf." },
	{ .name = "buffers", .letter = 'B', .type = FLT_OPT_U64, .offset = MEMBER(subbufs),
	  .arg = "N",
	  .min = 2, .max = 64, .help = "Set the number of sub-buffers per CPU. Default: 8, or 16 "
		  "with --unwind=dwarf." },
	{ .name = "channel", .type = FLT_OPT_CHOICE, .offset = MEMBER(channel),
	  .choices = channel_names, .help = "Read faults from relay files in debugfs, or by "
	  "netlink, which is slower and works without debugfs. Default: relay if its files can "
	  "be opened." },
	{ .name = "input", .letter = 'i', .type = FLT_OPT_FILE, .offset = MEMBER(input),
	  .arg = "FILE", .help = "Print the faults of a recording instead of tracing." },
	{ .name = "output", .letter = 'o', .type = FLT_OPT_FILE, .offset = MEMBER(output),
	  .arg = "FILE", .help = "Write to FILE instead of standard output. Useful if the "
		  "command writes to standard output." },
	{ .name = "ctf", .type = FLT_OPT_FILE, .offset = MEMBER(ctf), .arg = "DIR",
	  .help = "Write the faults into the new directory DIR, in the Common Trace Format 1.8 "
		  "of babeltrace2 and Trace Compass, instead of printing them." },
	FLT_TABLE_OPTS(struct trace_args, style),
	{ 0 },
};

static int read_kinds(const struct trace *t, uint32_t *bits)
{
	char *text = strdup(t->args->kinds), *save = NULL, *word;
	uint32_t kind;
	int status = 0;

	if (!text)
		return flt_command_fail(t->command, NULL, -ENOMEM);
	for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		for (kind = 0; kind <= FLT_KIND_MAX; kind++)
			if (!strcmp(word, flt_kind_name(kind)))
				break;
		if (kind > FLT_KIND_MAX) {
			status = flt_command_misuse(t->command, "invalid kind '%s' (expected "
						    FLT_FAULT_FILTER_KINDS ")", word);
			break;
		}
		*bits |= 1u << kind;
	}
	free(text);
	return status;
}

static int read_address(const struct trace *t, struct flt_stream_filter *f)
{
	char *end;

	errno = 0;
	f->address = strtoull(t->args->address, &end, 16);
	f->address_end = f->address + 1;
	if (*end == '-' && end != t->args->address)
		f->address_end = strtoull(end + 1, &end, 16);
	if (errno || *end || end == t->args->address || f->address_end <= f->address)
		return flt_command_misuse(t->command, "invalid address '%s' (expected e.g. 7f00 "
					  "or 7f00-8000)", t->args->address);
	return 0;
}

/* The encoding of struct flt_event_record: the kernel's new_encode_dev(). */
static uint32_t encode_dev(dev_t dev)
{
	return (minor(dev) & 0xff) | (uint32_t)major(dev) << 8 | (minor(dev) & ~0xffu) << 12;
}

static int read_file(const struct trace *t, struct flt_stream_filter *f)
{
	struct stat st;

	if (stat(t->args->file, &st)) {
		flt_command_say(t->command, "cannot find %s: %s", t->args->file, strerror(errno));
		return FLT_EXIT_FAILED;
	}
	f->inode = st.st_ino;
	f->dev = encode_dev(st.st_dev);
	return 0;
}

static int read_cgroup(const struct trace *t, struct flt_stream_filter *f)
{
	struct flt_errmsg e = { "" };
	int ret = flt_cgroup_id(t->args->cgroup, &f->cgroup, &e);

	if (ret == -EINVAL)
		return flt_command_misuse(t->command, "%s", flt_errmsg_text(&e, ret));
	return ret ? flt_command_fail(t->command, &e, ret) : 0;
}

static int read_user(const struct trace *t, struct flt_stream_filter *f)
{
	const struct passwd *pw = getpwnam(t->args->user);
	uint64_t uid;

	if (!pw && (flt_units_read_u64(t->args->user, &uid) || uid >= UINT32_MAX))
		return flt_command_misuse(t->command, "invalid user '%s': no such user",
					  t->args->user);
	f->by_uid = true;
	f->uid = pw ? pw->pw_uid : (uint32_t)uid;
	return 0;
}

/* Fill t->wish, the parameters of the stream, from the options. Return the exit status. */
static int make_wish(struct trace *t)
{
	const struct trace_args *args = t->args;
	const bool sliced = args->unwind > 0;
	struct flt_stream_filter *f = &t->wish.filter;
	int status = 0;

	if (args->comm && strlen(args->comm) >= FLT_COMM_LEN)
		return flt_command_misuse(t->command, "invalid name '%s' (expected at most %d "
					  "bytes)", args->comm, FLT_COMM_LEN - 1);
	t->wish.subbuf_size = args->subbuf_size ? (uint32_t)args->subbuf_size :
			      sliced ? 1 << 20 : 256 << 10;
	t->wish.channel = (enum flt_stream_channel)args->channel;
	t->wish.notes = true;
	t->wish.causes = args->why;
	t->wish.subbufs = args->subbufs ? (uint32_t)args->subbufs : sliced ? 16 : 8;
	if (sliced)
		t->wish.slice = SLICE;
	else if (trace_has_stacks(args))
		t->wish.stacks = (uint32_t)args->max_stack;
	f->results = result_bits[args->results];
	f->latency = args->latency;
	f->comm = args->comm;
	f->sample = (uint32_t)args->sample;
	if (args->kinds)
		status = read_kinds(t, &f->kinds);
	if (!status && args->address)
		status = read_address(t, f);
	if (!status && args->file)
		status = read_file(t, f);
	if (!status && args->cgroup)
		status = read_cgroup(t, f);
	if (!status && args->user)
		status = read_user(t, f);
	return status;
}

static int check_by_cgroup(const struct trace *t)
{
	const char *other = t->args->ctf ? "--ctf" : t->args->input ? "--input" :
			    t->args->why ? "--why" : t->args->stacks ? "--stacks" :
			    trace_has_stacks(t->args) ? "--unwind" : NULL;

	return other ? flt_command_misuse(t->command, "%s and --by=cgroup exclude each other",
					  other) : FLT_EXIT_DONE;
}

static int trace_main(struct flt_run *run)
{
	struct trace t = {
		.command = run->command, .args = run->args, .control = run->control,
		.control_message = run->control_message, .control_error = run->control_error,
		.page_shift = flt_timeline_page_size().shift,
	};
	struct flt_target target = {
		.command = run->command, .pids = &t.args->pids, .follow = t.args->follow,
		.takes_command = true,
	};
	int status = flt_target_read(&target, &run->words);

	if (!status && t.args->input && run->words.command)
		status = flt_command_misuse(t.command, "cannot trace a command with --input (a "
					    "recording)");
	if (!status && t.args->ctf && (t.args->output || t.args->style.format != FLT_FORMAT_TEXT))
		status = flt_command_misuse(t.command, "--ctf and %s exclude each other",
					    t.args->output ? "--output" : "--json or --csv");
	if (!status && t.args->ctf && t.args->why)
		status = flt_command_misuse(t.command, "--ctf and --why exclude each other");
	if (!status && t.args->by == TRACE_BY_CGROUP)
		status = check_by_cgroup(&t);
	if (!status)
		status = make_wish(&t);
	if (!status)
		status = output_open(&t.out, t.command, t.args->output);
	if (!status)
		status = t.args->input ? trace_recorded(&t) : trace_run(&t, run->words.command);
	return output_close(t.out, t.command, t.args->output, t.unwritten, status);
}

const struct flt_command flt_command_trace = {
	.name = "trace",
	.summary = "print every fault: time, duration, process, kind, address, file",
	.synopsis = (const char *const[]){
		"[options] [-p PID,...]",
		"[options] -- COMMAND [ARGUMENT...]",
		"[options] -i FILE", NULL },
	.about = (const char *const[]){
		"Prints one line per page fault, as the fault ends: of all processes, of some, "
		"or of a command and its children. Filters run in the kernel, so a filtered "
		"fault costs almost nothing. The time in a line is the end of the fault.",
		"With --stacks, functions and lines come from the mapped programs and libraries, "
		"also for processes that have ended. A truncated stack has a reason: depth (more "
		"frames than --max-stack), memory (a stack page is not resident), order (code "
		"without frame pointers), unwind (no unwind table, or more stack than was "
		"copied), mode (32-bit code), lost (the stream had no room).",
		"With --input, the faults of a recording of fltctl record are printed in the same "
		"columns, and the module is not needed. Columns without data in the recording are "
		"empty.",
		"If the reader is too slow, faults are lost, never delayed. The position and "
		"number of lost faults are printed, and the exit status is 3.", NULL },
	.opts = opts,
	.defaults = &(const struct trace_args){ .unwind = -1, .max_stack = 127 },
	.args_size = sizeof(struct trace_args),
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = trace_main,
};
