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
#include "source/proc/cgroup.h"
#include "text/units.h"

/* Bytes of stack copied for unwinding. */
#define SLICE 8192

static const char *const unwinds[] = { "fp", "dwarf", NULL };
static const char *const result_names[] = { "all", "min", "maj", "failed", NULL };
static const char *const channel_names[] = { "auto", "relay", "netlink", NULL };
static const uint32_t result_bits[] = {
	0, 1u << FLT_RESULT_MINOR, 1u << FLT_RESULT_MAJOR, 1u << FLT_RESULT_FAILED,
};

#define MEMBER(m) offsetof(struct trace_args, m)

static const struct flt_opt opts[] = {
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = MEMBER(pids), .arg = "PID,...",
	  .help = "Only these processes." },
	{ .name = "follow", .letter = 'f', .type = FLT_OPT_FLAG, .offset = MEMBER(follow),
	  .help = "And what the processes of -p fork from now on." },
	{ .name = "filter", .letter = 'F', .type = FLT_OPT_CHOICE, .offset = MEMBER(results),
	  .choices = result_names, .help = "Minor, major or failed faults only." },
	{ .name = "kind", .letter = 'k', .type = FLT_OPT_STRING, .offset = MEMBER(kinds),
	  .arg = "KIND,...", .help = "Only faults of these kinds: anon, file, cow, swap and so on." },
	{ .name = "latency", .letter = 'l', .type = FLT_OPT_DURATION, .offset = MEMBER(latency),
	  .arg = "TIME", .help = "Only faults that took at least as long, as 50us or 1ms." },
	{ .name = "address", .letter = 'A', .type = FLT_OPT_STRING, .offset = MEMBER(address),
	  .arg = "FROM[-TO]", .help = "Only faults at these addresses, hexadecimal; TO is past the end." },
	{ .name = "file", .type = FLT_OPT_FILE, .offset = MEMBER(file), .arg = "PATH",
	  .help = "Only faults in mappings of this file (on overlayfs before Linux 6.8: of the "
		  "file in the layer beneath)." },
	{ .name = "comm", .letter = 'c', .type = FLT_OPT_STRING, .offset = MEMBER(comm), .arg = "NAME",
	  .help = "Only threads of this name." },
	{ .name = "user", .letter = 'u', .type = FLT_OPT_STRING, .offset = MEMBER(user), .arg = "USER",
	  .help = "Only this effective user, by name or number." },
	{ .name = "cgroup", .type = FLT_OPT_FILE, .offset = MEMBER(cgroup), .arg = "DIR",
	  .help = "Only processes in this cgroup, or in one below: its directory in cgroup2, "
		  "as /sys/fs/cgroup/system.slice." },
	{ .name = "sample", .letter = 's', .type = FLT_OPT_U64, .offset = MEMBER(sample), .arg = "N",
	  .min = 1, .max = UINT16_MAX, .help = "One fault in N on each CPU." },
	{ .name = "stacks", .letter = 'S', .type = FLT_OPT_FLAG, .offset = MEMBER(stacks),
	  .help = "The call stack below each line, innermost first." },
	{ .name = "unwind", .type = FLT_OPT_CHOICE, .offset = MEMBER(unwind), .choices = unwinds,
	  .help = "How stacks are found: by frame pointers (fp), which costs little but misses callers "
		  "in code compiled without them, or by unwind tables (dwarf) from 8 KiB of stack copied "
		  "at each fault, which implies --stacks." },
	{ .name = "max-stack", .type = FLT_OPT_U64, .offset = MEMBER(max_stack), .arg = "N",
	  .min = 1, .max = 127, .help = "Frames of a stack at most, the instruction's own "
		  "included. Default 127." },
	{ .name = "count", .letter = 'n', .type = FLT_OPT_U64, .offset = MEMBER(count), .arg = "N",
	  .help = "End after N faults." },
	{ .name = "buffer", .letter = 'b', .type = FLT_OPT_SIZE, .offset = MEMBER(subbuf_size),
	  .arg = "SIZE", .min = 4096, .max = 1 << 20, .power_of_two = true,
	  .help = "Size of a sub-buffer, a power of two from 4KiB to 1MiB. Default 256KiB, or 1MiB with "
		  "--unwind=dwarf." },
	{ .name = "buffers", .letter = 'B', .type = FLT_OPT_U64, .offset = MEMBER(subbufs), .arg = "N",
	  .min = 2, .max = 64, .help = "Sub-buffers for each CPU. Default 8, or 16 with "
		  "--unwind=dwarf." },
	{ .name = "channel", .type = FLT_OPT_CHOICE, .offset = MEMBER(channel),
	  .choices = channel_names, .help = "How faults come: through relay files in debugfs, "
	  "or by netlink, which is slower and takes no debugfs. Default: relay if its files "
	  "can be opened." },
	{ .name = "output", .letter = 'o', .type = FLT_OPT_FILE, .offset = MEMBER(output),
	  .arg = "FILE", .help = "Write to FILE, not to standard output, which a command may write to." },
	FLT_TABLE_OPTS(struct trace_args, format),
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
			status = flt_command_misuse(t->command, "'%s' is no kind of fault", word);
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
		return flt_command_misuse(t->command, "'%s' is no address, and no range of them",
					  t->args->address);
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
		flt_command_say(t->command, "%s: %s", t->args->file, strerror(errno));
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
		return flt_command_misuse(t->command, "there is no user '%s'", t->args->user);
	f->by_uid = true;
	f->uid = pw ? pw->pw_uid : (uint32_t)uid;
	return 0;
}

static int make_wish(struct trace *t)
{
	const struct trace_args *args = t->args;
	const bool sliced = args->unwind;
	struct flt_stream_filter *f = &t->wish.filter;
	int status = 0;

	if (args->comm && strlen(args->comm) >= FLT_COMM_LEN)
		return flt_command_misuse(t->command, "a thread's name has at most %d bytes",
					  FLT_COMM_LEN - 1);
	t->wish.subbuf_size = args->subbuf_size ? (uint32_t)args->subbuf_size : sliced ? 1 << 20 : 256 << 10;
	t->wish.channel = (enum flt_stream_channel)args->channel;
	t->wish.notes = true;
	t->wish.subbufs = args->subbufs ? (uint32_t)args->subbufs : sliced ? 16 : 8;
	if (sliced)
		t->wish.slice = SLICE;
	else if (args->stacks)
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

static int trace_main(struct flt_run *run)
{
	struct trace t = { .command = run->command, .args = run->args, .control = run->control };
	int status;

	if (run->words.argc)
		return flt_command_misuse(t.command, "'%s': a command to run stands behind '--'",
					  run->words.argv[0]);
	if (run->words.command && t.args->pids.count)
		return flt_command_misuse(t.command, "-p and a command exclude each other");
	if (t.args->follow && !t.args->pids.count)
		return flt_command_misuse(t.command, "--follow needs -p");
	status = make_wish(&t);
	if (!status)
		status = output_open(&t.out, t.command, t.args->output);
	if (!status)
		status = trace_run(&t, run->words.command);
	return output_close(t.out, t.command, t.args->output, t.unwritten, status);
}

const struct flt_command flt_command_trace = {
	.name = "trace",
	.summary = "every fault, one line: when, who, how long, what for, where",
	.synopsis = (const char *const[]){
		"[options] [-p PID,...]",
		"[options] -- COMMAND [ARGUMENT...]", NULL },
	.about = (const char *const[]){
		"Writes a line for every page fault as it ends, of all processes, of some, or of a "
		"command and its children. Filters work in the kernel: what they hold back costs "
		"next to nothing. A line's time is when the fault ended.",
		"With --stacks functions and lines come from the programs and libraries that are mapped, "
		"also of processes that have ended. Where a stack ends early the cut says why: depth (more "
		"frames than asked for), memory (not resident), order (code without frame pointers), unwind "
		"(no unwind table for it, or more stack than was copied), mode (32-bit code), lost (the "
		"stream had no room for it).",
		"When a reader is too slow, faults are lost, never delayed. Where and how many is "
		"said in its place, and the exit status is 3.", NULL },
	.opts = opts,
	.defaults = &(const struct trace_args){ .max_stack = 127 },
	.args_size = sizeof(struct trace_args),
	.needs = FLT_NEEDS_MODULE,
	.main = trace_main,
};
