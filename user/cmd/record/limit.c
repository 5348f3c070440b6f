// SPDX-License-Identifier: GPL-2.0-or-later
/* record_limit.c - `fltctl record -L`: one run of the command under the recorder. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "text/clock.h"
#include "cmd/record/limit.h"
#include "cmd/record/target.h"
#include "text/units.h"

#define DRAIN_NS (5 * FLT_NSEC_PER_MSEC)
#define SAMPLE_EVERY 10		/* drains */
/* After a signal that was passed on: then the command is ended. */
#define PATIENCE_NS (5 * FLT_NSEC_PER_SEC)

static int each_second(void *arg)
{
	struct flt_recording *r = arg;

	flt_record_sample(r);
	flt_record_write_stats(r);
	flt_record_progress(r);
	return flt_file_error(r->file);
}

static int take_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct flt_recording *r = arg;
	siginfo_t which;

	if (info->ssi_signo != SIGCHLD) {
		/*
		 * A terminal's interrupt has reached the command, too. A second one,
		 * when the command has gone, is about its leftovers.
		 */
		if (r->status != -1)
			flt_loop_stop(r->loop);
		else if (info->ssi_code != SI_KERNEL)
			kill(r->child.pid, (int)info->ssi_signo);
		if (!r->ask_until && (info->ssi_signo == SIGTERM || info->ssi_signo == SIGHUP))
			r->ask_until = flt_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
		return 0;
	}
	/* orphans come to us, fault servers among them; the command is waited for by name */
	for (;;) {
		which.si_pid = 0;
		if (waitid(P_ALL, 0, &which, WEXITED | WNOHANG | WNOWAIT | __WALL) || !which.si_pid)
			return 0;
		if (which.si_pid == r->child.pid) {
			if (flt_child_poll(&r->child, &r->status, NULL))
				return 0;
		} else {
			waitpid(which.si_pid, NULL, WNOHANG | __WALL);
		}
	}
}

static int every_drain(void *arg)
{
	struct flt_recording *r = arg;
	ssize_t n = flt_rings_drain(r->rings);
	int heard;

	if (n < 0)
		return (int)n;
	if (!(r->drains++ % SAMPLE_EVERY))
		flt_record_sample(r);
	/* it may be asleep in a fault that nobody serves, or deaf to that signal */
	if (r->ask_until && flt_clock_ns(CLOCK_MONOTONIC) > r->ask_until) {
		if (r->status == -1)
			kill(r->child.pid, SIGKILL);
		flt_loop_stop(r->loop);
	}
	if (r->status == -1)
		return 0;
	/* what a process said last may still be on its way, and who said it be gone */
	heard = flt_rings_dispatch(r->rings);
	if (!heard && !flt_rings_live(r->rings))
		flt_loop_stop(r->loop);
	return heard < 0 ? heard : 0;
}

static int rings_talk(void *arg, int fd, short events)
{
	struct flt_recording *r = arg;

	int ret = flt_rings_dispatch(r->rings);

	(void)fd;
	(void)events;
	return ret < 0 ? ret : 0;
}

static void write_number(struct flt_recording *r, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	flt_file_info(r->file, key, text);
}

static void write_info(struct flt_recording *r, char **argv)
{
	flt_file_host(r->file, "recorder", argv);
	write_number(r, "limit", r->args->limit);
	write_number(r, "memory", r->args->memory);
	write_number(r, "latency", r->args->latency);
	write_number(r, "bandwidth", r->args->bandwidth);
	flt_file_info(r->file, "policy", r->args->policy == FLT_REC_CLOCK ? "clock" : "fifo");
	flt_file_info(r->file, "stacks", r->args->no_stack ? "none" : "unwind");
	flt_file_info(r->file, "period", "1");
}

/* Only the first so many of the processors it could have. */
static int take_cores(uint64_t left)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		if (left)
			left--;
		else
			CPU_CLR(cpu, &set);
	}
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

static int allow_files(uint64_t files, uint64_t *before)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return -errno;
	if (before)
		*before = l.rlim_cur;
	l.rlim_cur = files < l.rlim_max ? files : l.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &l) ? -errno : 0;
}

int flt_record_in_child(void *arg)
{
	const struct flt_record_args *args = arg;
	int ret = 0, null;

	if (args->files)
		ret = allow_files(args->files, NULL);
	if (!ret && args->cores)
		ret = take_cores(args->cores);
	if (ret || !args->silent)
		return ret;
	/* each run the same, and our standard output is for the table */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return -errno;
	return 0;
}

static int record(struct flt_recording *r, char **argv, const char *library)
{
	char preload[PATH_MAX + 4096], name[128];
	const char *const env[] = { preload, name, NULL };
	struct flt_child_setup setup = { .argv = argv, .env = env, .prepare = flt_record_in_child,
					.arg = (void *)r->args };
	const char *before = getenv("LD_PRELOAD");
	struct flt_errmsg e = { "" };
	sigset_t set, mask;
	int ret;

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s%s%s", library, before && *before ? ":" : "",
		 before ? before : "");
	snprintf(name, sizeof(name), "FLT_RECORD_SOCKET=%s", flt_rings_name(r->rings));
	flt_job_signals(&set);
	ret = flt_loop_new(&r->loop);
	if (ret)
		return flt_command_fail(r->run->command, NULL, ret);
	ret = flt_loop_signals(r->loop, &set, &mask, take_signal, r);
	setup.mask = &mask;
	if (!ret)
		ret = flt_loop_add(r->loop, flt_rings_fd(r->rings), 1 /* POLLIN */, rings_talk, r);
	if (!ret)
		ret = flt_loop_every(r->loop, DRAIN_NS, every_drain, r);
	if (!ret)
		ret = flt_loop_every(r->loop, FLT_NSEC_PER_SEC, each_second, r);
	if (!ret)
		ret = flt_child_fork(&r->child, &setup, &e);
	if (ret)
		return flt_command_fail(r->run->command, &e, ret);
	r->began = r->last_line = flt_clock_ns(CLOCK_MONOTONIC);
	ret = flt_child_release(&r->child);
	if (ret) {
		flt_command_say(r->run->command, "cannot run %s: %s", argv[0], strerror(-ret));
		r->status = flt_child_exec_status(ret) << 8;
		return -1;
	}
	ret = flt_loop_run(r->loop);
	if (ret)
		r->file_error = ret;
	return 0;
}

int flt_record_limit_once(struct flt_run *run, const struct flt_record_args *args,
			  struct flt_record_outcome *out)
{
	struct flt_recording r = { .run = run, .args = args, .status = -1 };
	struct flt_rec_config config = {
		.limit_pages = args->limit / FLT_RECORD_PAGE, .latency_ns = args->latency,
		.bandwidth = args->bandwidth, .policy = (uint32_t)args->policy,
		.max_stack = (uint32_t)args->max_stack, .sample = (uint32_t)args->sample,
		.flags = (args->no_inline ? FLT_REC_NO_INLINE : 0u) |
			 (args->no_move ? FLT_REC_NO_MOVE : 0u) |
			 (args->no_stack ? FLT_REC_NO_STACK : 0u),
	};
	const struct flt_ring_receiver receiver = flt_record_images(&r);
	char library[PATH_MAX], kept[PATH_MAX];
	struct flt_errmsg e = { "" };
	uint64_t took, faults, unlimited;
	int ret, status;

	config.max_pages = args->memory ? args->memory / FLT_RECORD_PAGE :
					  2 * (uint64_t)sysconf(_SC_PHYS_PAGES);
	if (!args->memory && config.max_pages < 2 * config.limit_pages)
		config.max_pages = 2 * config.limit_pages;
	if (config.max_pages < config.limit_pages)
		return flt_command_misuse(run->command, "-M is smaller than -L");
	ret = flt_record_target_check(run->words.command[0], &e);
	if (!ret)
		ret = flt_record_target_may(&e);
	if (!ret)
		ret = flt_record_target_library(library, &e);
	if (ret)
		return flt_command_fail(run->command, &e, ret);
	ret = flt_file_create(&r.file, args->output, kept);
	if (ret) {
		flt_errmsg_errno(&e, ret, "cannot create %s", args->output);
		return flt_command_fail(run->command, &e, ret);
	}
	if (*kept && !args->quiet)
		flt_command_say(run->command, "kept the earlier recording as %s", kept);
	ret = flt_rings_open(&r.rings, &config, &receiver, &e);
	if (ret) {
		flt_file_abandon(r.file);
		return flt_command_fail(run->command, &e, ret);
	}
	write_info(&r, run->words.command);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ret = record(&r, run->words.command, library);
	took = flt_clock_ns(CLOCK_MONOTONIC) - r.began;
	if (!ret && !r.file_error) {
		flt_record_sample(&r);
		flt_record_write_stats(&r);
	}
	/* whatever still runs is killed by its server here */
	flt_rings_close(r.rings);
	if (r.status == -1 && r.child.pid > 0)
		flt_child_wait(&r.child, &r.status, NULL);
	faults = r.total.sum.alloc + r.total.sum.refault + r.total.sum.raced;
	status = flt_file_close(r.file, faults, r.status == -1 ? ~0u : (uint32_t)r.status);
	flt_loop_free(r.loop);
	free(r.pids);
	*out = (struct flt_record_outcome){ .ns = took, .status = r.status, .total = r.total };
	if (ret > 0)
		return ret;
	if (ret < 0)
		return flt_child_exit_status(r.status);
	if (status || r.file_error) {
		flt_errmsg_errno(&e, status ? status : r.file_error,
				 "cannot write %s; it holds what came before", args->output);
		return flt_command_fail(run->command, &e, status ? status : r.file_error);
	}
	if (!args->quiet)
		flt_record_summary(&r, took);
	if (!r.total.images)
		flt_command_say(run->command,
				"nothing was recorded: no process of the command loaded the recorder");
	unlimited = r.total.refused + r.total.sum.forks_unlimited;
	if (unlimited)
		flt_command_say(run->command,
				"processes that ran unlimited and unrecorded: %llu (%llu could not be "
				"limited, %llu were forked past the recorder)", (unsigned long long)unlimited,
				(unsigned long long)r.total.refused,
				(unsigned long long)r.total.sum.forks_unlimited);
	status = flt_child_exit_status(r.status);
	if (!status && (!r.total.images || r.total.killed || unlimited))
		status = FLT_EXIT_INCOMPLETE;
	return status;
}

int flt_record_limit(struct flt_run *run, const struct flt_record_args *args)
{
	struct flt_record_args own = *args;
	struct flt_record_outcome out;

	/* two descriptors for each process of the command, which may be many at a time */
	if (allow_files(RLIM_INFINITY, &own.files))
		own.files = 0;
	if (args->sweep)
		return flt_record_sweep(run, &own);
	return flt_record_limit_once(run, &own, &out);
}
