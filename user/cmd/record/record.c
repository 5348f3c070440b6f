// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <flt_ring.h>

#include "observe/observe.h"
#include "observe/target.h"
#include "capture/capture.h"
#include "cmd/record/args.h"
#include "cmd/record/child.h"
#include "cmd/record/choice.h"
#include "cmd/record/once.h"
#include "cmd/record/sweep.h"
#include "cmd/record/target.h"
#include "source/proc/cgroup.h"
#include "view/table/table.h"

static const char *const policies[] = { "fifo", "clock", NULL };
static const char *const engines[] = { "auto", "preload", "cgroup", "module", "perf", NULL };

/* The region and two copies for evicted pages must fit into the address space. */
#define SIZE_LIMIT (16ull << 40)

#define AT(member) offsetof(struct flt_record_args, member)

static const struct flt_opt opts[] = {
	{ .name = "limit", .letter = 'L', .type = FLT_OPT_SIZE, .offset = AT(limit), .arg = "SIZE",
	  .help = "Limit the resident heap of each process of the command. A bare number is MiB.",
	  .min = 256 << 10, .max = SIZE_LIMIT },
	{ .name = "memory", .letter = 'M', .type = FLT_OPT_SIZE, .offset = AT(memory),
	  .arg = "SIZE",
	  .help = "Set the heap size of each process, resident and evicted, that the limit "
		  "covers. Heap beyond it is not limited. Default: twice the machine's memory.",
	  .min = 256 << 10, .max = SIZE_LIMIT },
	{ .name = "policy", .type = FLT_OPT_CHOICE, .offset = AT(policy),
	  .choices = policies, .help = "With -L, select the page to evict: the oldest page (fifo), "
		  "or the oldest page that did not come back before (clock). Default: fifo." },
	{ .name = "sweep", .type = FLT_OPT_STRING, .offset = AT(sweep), .arg = "PERCENT,...",
	  .help = "Instead of -L: run the command natively, then with 100 % of the heap that it "
		  "needs, then with each given percentage, e.g. 25,50,75,100%. Print time and "
		  "faults of each run, and keep the recordings as FILE.25 and so on. The command "
		  "reads /dev/null, and its output is discarded." },
	{ .name = "cores", .type = FLT_OPT_U64, .offset = AT(cores), .arg = "N",
	  .help = "With -L, run the command on N CPUs.", .min = 1, .max = 1024 },
	{ .name = "latency", .type = FLT_OPT_DURATION, .offset = AT(latency), .arg = "TIME",
	  .help = "With -L, simulate far memory, such as memory of another machine: delay each "
		  "page that is brought back." },
	{ .name = "bandwidth", .type = FLT_OPT_SIZE, .offset = AT(bandwidth), .arg = "SIZE",
	  .help = "With -L, simulate far memory: limit the transfer to SIZE per second, shared by "
		  "all pages.", .per_second = true },
	{ .name = "max-stack", .type = FLT_OPT_U64, .offset = AT(max_stack), .arg = "N",
	  .help = "Keep at most N frames per stack, from the innermost. Default: 128.", .min = 1,
	  .max = 512 },
	{ .name = "unwind", .type = FLT_OPT_CHOICE, .offset = AT(unwind),
	  .choices = flt_unwind_by_names,
	  .help = "Without -L, find callers by frame pointers (fp), which is cheap but misses "
		  "callers in code compiled without frame pointers, or by unwind tables (dwarf) "
		  "from 8 KiB of stack copied at each fault, which loses faults at more than "
		  "about 10,000 faults per second. With libdw, elfutils reads the tables instead "
		  "of libunwind." },
	{ .name = "no-stack", .type = FLT_OPT_FLAG, .offset = AT(no_stack),
	  .help = "Record no call stacks." },
	{ .name = "sample", .type = FLT_OPT_U64, .offset = AT(sample), .arg = "N",
	  .help = "With -L, keep at most N faults per second and process, each with the number of "
		  "faults that it stands for.", .min = 10, .max = 100000000, .per_second = true },
	{ .name = "engine", .type = FLT_OPT_CHOICE, .offset = AT(engine),
	  .choices = engines, .help = "Select how memory is limited and faults are observed. With "
		  "-L: preload (the heap, by userfaultfd) or cgroup (all memory, by the kernel; "
		  "creates swap if there is none). Without -L: module or perf. Default: auto." },
	{ .name = "inline", .type = FLT_OPT_FLAG, .offset = AT(inlined),
	  .help = "With -L, let each thread serve its own faults if the kernel allows that "
		  "(Linux 6.10, x86-64). Default: only if the process has several threads, or if "
		  "the fault server gets too little CPU time." },
	{ .name = "no-inline", .type = FLT_OPT_FLAG, .offset = AT(no_inline),
	  .help = "With -L, serve every fault in the fault server (a helper process of each "
		  "recorded process), none on the faulting thread." },
	{ .name = "no-move", .type = FLT_OPT_FLAG, .offset = AT(no_move),
	  .help = "With -L, evict by copying, as on kernels before 6.8." },
	{ .name = "no-grants", .type = FLT_OPT_FLAG, .offset = AT(no_grants),
	  .help = "With -L, serve each first touch of a page, too. Default: the kernel fills most "
		  "of these pages by itself, which is faster." },
	{ .name = "buffer", .letter = 'b', .type = FLT_OPT_SIZE, .offset = AT(subbuf_size),
	  .arg = "SIZE", .min = 4096, .max = 1 << 20, .power_of_two = true,
	  .help = "With the module: set the size of a sub-buffer. Default: 512KiB, or 1MiB with "
		  "--unwind=dwarf." },
	{ .name = "buffers", .letter = 'B', .type = FLT_OPT_U64, .offset = AT(subbufs), .arg = "N",
	  .help = "With the module: set the number of sub-buffers per CPU. Default: 8, or 16 "
		  "with --unwind=dwarf.",
	  .min = 2, .max = 64 },
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, .offset = AT(pids), .arg = "PID,...",
	  .help = "Record running processes, without a limit." },
	{ .name = "cgroup", .letter = 'G', .type = FLT_OPT_FILE, .offset = AT(cgroup), .arg = "DIR",
	  .help = "Record the processes of a cgroup, with -L under that limit. The old limit "
		  "returns at the end. Processes that enter the cgroup later are counted, not "
		  "recorded." },
	{ .name = "all", .letter = 'a', .type = FLT_OPT_FLAG, .offset = AT(all),
	  .help = "Record every process, without a limit." },
	{ .name = "output", .letter = 'o', .type = FLT_OPT_FILE, .offset = AT(output),
	  .arg = "FILE",
	  .help = "Write the recording to FILE. Default: flt.data. An existing FILE is renamed "
		  "to FILE.old." },
	{ .name = "quiet", .letter = 'q', .type = FLT_OPT_FLAG, .offset = AT(quiet),
	  .help = "Print neither progress nor summary." },
	FLT_TABLE_OPTS(struct flt_record_args, style),
	{ 0 },
};

/*
 * Handle SIGXFSZ, so that write() fails at the file size limit instead of ending fltctl. The
 * command has the default action, because exec resets handlers.
 */
static void on_file_limit(int sig)
{
	(void)sig;
}

static int record_unlimited(struct flt_run *run, const struct flt_record_args *args)
{
	static const enum flt_capture_engine engine[] = {
		[FLT_RECORD_ENGINE_AUTO] = FLT_CAPTURE_AUTO,
		[FLT_RECORD_ENGINE_MODULE] = FLT_CAPTURE_MODULE,
		[FLT_RECORD_ENGINE_PERF] = FLT_CAPTURE_PERF,
	};
	struct flt_capture_setup setup = {
		.pids = args->pids, .all = args->all, .no_stack = args->no_stack,
		.unwind = flt_record_unwind_by(args), .engine = engine[args->engine],
		.max_stack = args->max_stack, .subbuf_size = args->subbuf_size,
		.subbufs = args->subbufs, .output = args->output, .quiet = args->quiet,
		.explain = !args->quiet, .cgroup = args->cgroup,
	};
	struct flt_errmsg e = { "" };
	int status;

	if (args->cgroup) {
		status = flt_cgroup_members(args->cgroup, &setup.pids.id, &setup.pids.count, &e);
		if (status)
			return flt_command_fail(run->command, &e, status);
	}
	status = flt_capture(run, &setup, NULL);
	if (args->cgroup)
		free(setup.pids.id);
	return status;
}

/* Check options that go with or without -L. Return the exit status. */
static int check_args(const struct flt_run *run, bool limited)
{
	const struct flt_record_args *args = run->args;
	const struct flt_command *command = run->command;

	if (!limited && (args->cores || args->latency || args->bandwidth || args->sample))
		return flt_command_misuse(command, "--cores, --latency, --bandwidth and --sample "
					  "need -L");
	if (!limited && (args->policy >= 0 || args->no_move || args->inlined || args->no_inline ||
			 args->no_grants))
		return flt_command_misuse(command, "--policy, --no-move, --inline, --no-inline and "
					  "--no-grants need -L");
	if (args->inlined && args->no_inline)
		return flt_command_misuse(command, "--inline and --no-inline exclude each other");
	if (!limited && (args->engine == FLT_RECORD_ENGINE_PRELOAD ||
			 args->engine == FLT_RECORD_ENGINE_CGROUP))
		return flt_command_misuse(command, "--engine=%s needs -L SIZE",
					  engines[args->engine]);
	return FLT_EXIT_DONE;
}

/* Check the options of a recording with -L. Return the exit status. */
static int check_limit(const struct flt_run *run)
{
	const struct flt_record_args *args = run->args;
	const struct flt_command *command = run->command;

	if (args->pids.count || args->all)
		return flt_command_misuse(command, "-L needs a command or --cgroup: running "
					  "processes cannot be limited");
	if (args->sweep && args->limit)
		return flt_command_misuse(command, "-L and --sweep exclude each other");
	if (!args->limit && !args->sweep)
		return flt_command_misuse(command, "-M needs -L SIZE");
	if (args->cgroup && args->sweep)
		return flt_command_misuse(command, "--sweep needs a command");
	if (args->cgroup && args->engine == FLT_RECORD_ENGINE_PRELOAD)
		return flt_command_misuse(command, "--engine=preload and --cgroup exclude each "
					  "other");
	if (args->engine == FLT_RECORD_ENGINE_MODULE || args->engine == FLT_RECORD_ENGINE_PERF)
		return flt_command_misuse(command, "-L needs --engine=preload or --engine=cgroup");
	return FLT_EXIT_DONE;
}

/* Check options that only one way to limit memory has. Return the exit status. */
static int check_chosen(const struct flt_run *run, const struct flt_record_args *args)
{
	const struct flt_command *command = run->command;

	if (!args->by_cgroup && args->unwind >= 0)
		return flt_command_misuse(command, "--unwind with -L needs --engine=cgroup");
	if (args->by_cgroup && (args->latency || args->bandwidth))
		return flt_command_misuse(command, "--latency and --bandwidth need "
					  "--engine=preload: in a cgroup the kernel evicts and "
					  "brings back");
	if (args->by_cgroup && (args->sample || args->policy >= 0 || args->no_move ||
				args->inlined || args->no_inline || args->no_grants))
		return flt_command_misuse(command, "--sample, --policy, --no-move, --inline, "
					  "--no-inline and --no-grants need --engine=preload");
	return FLT_EXIT_DONE;
}

static int record_limited(struct flt_run *run, struct flt_record_args *args)
{
	struct flt_record_outcome out;
	int ret = check_limit(run);

	if (!ret)
		ret = flt_record_choose(run, args);
	if (!ret)
		ret = check_chosen(run, args);
	if (ret)
		return ret;
	args->policy = args->policy < 0 ? FLT_REC_FIFO : args->policy;
	/* fltctl needs two descriptors per process of the command. */
	if (flt_record_allow_files(RLIM_INFINITY, &args->files))
		args->files = 0;
	return args->sweep ? flt_record_sweep(run, args) : flt_record_once(run, args, &out);
}

static int record_main(struct flt_run *run)
{
	const struct flt_record_args *args = run->args;
	bool limited = args->limit || args->memory || args->sweep;
	struct flt_record_args own = *args;
	struct flt_target target = {
		.command = run->command, .pids = &args->pids, .all = args->all,
		.cgroup = args->cgroup, .any_cgroup = true, .takes_command = true,
		.missing = "-p PID, -a, --cgroup DIR or '-- COMMAND'",
	};
	int ret = flt_target_read(&target, &run->words);

	if (!ret)
		ret = check_args(run, limited);
	if (!ret)
		ret = flt_target_check_pids(run->command, &args->pids);
	if (ret)
		return ret;
	signal(SIGXFSZ, on_file_limit);
	/* Check the command before an earlier recording is renamed. */
	ret = run->words.command ? flt_record_target_find(run->words.command[0]) : 0;
	if (ret)
		return flt_observe_cannot_run(run->command, run->words.command[0], ret);
	return limited ? record_limited(run, &own) : record_unlimited(run, &own);
}

const struct flt_command flt_command_record = {
	.name = "record",
	.summary = "record faults with their call stacks, with limited memory if asked",
	.synopsis = (const char *const[]){ "-L SIZE [-M SIZE] [OPTION...] -- COMMAND [ARG...]",
					   "--sweep PERCENT,... [OPTION...] -- COMMAND [ARG...]",
					   "[OPTION...] -- COMMAND [ARG...]",
					   "[OPTION...] -p PID,... | -a",
					   "[-L SIZE] [OPTION...] --cgroup DIR", NULL },
	.about = (const char *const[]){
		"With -L, the command runs unmodified with a limited resident heap. The rest of "
		"its heap is evicted, and each access that brings a page back is recorded with "
		"its call stack. The heap is memory from malloc and private anonymous memory. "
		"Stacks, files, shared memory and the data of programs and libraries are not "
		"limited; the summary shows the limited share. Each process of the command has "
		"its own limit.",
		"The recorder is loaded by LD_PRELOAD. It reaches dynamically linked programs, "
		"except set-user-ID programs of another user. With --engine=cgroup, the kernel "
		"limits all memory of the command, and any program can be recorded. The exit "
		"status is the command's.",
		NULL },
	.opts = opts,
	.defaults = &(const struct flt_record_args){
		.policy = -1, .unwind = -1, .max_stack = 128,
		.output = "flt.data",
	},
	.args_size = sizeof(struct flt_record_args),
	.needs = FLT_USES_MODULE,
	.passes_status = true,
	.main = record_main,
};
