// SPDX-License-Identifier: GPL-2.0-or-later
/* limit.c - `fltctl record -L`: run the command under the recorder. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "text/clock.h"
#include "cli/output.h"
#include "cmd/record/child.h"
#include "cmd/record/limit.h"
#include "cmd/record/target.h"
#include "observe/loss.h"
#include "text/units.h"

#define DRAIN_NS (5 * FLT_NSEC_PER_MSEC)
#define SAMPLE_EVERY 10		/* drains */
/* The command is killed this long after SIGTERM or SIGHUP was passed on to it. */
#define PATIENCE_NS (5 * FLT_NSEC_PER_SEC)

#define CANNOT_WRITE "cannot write %s, which holds the faults recorded so far"

static int on_second(void *arg)
{
	struct flt_recording *r = arg;

	flt_record_sample(r);
	flt_record_write_stats(r);
	flt_record_progress(r);
	return 0;
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct flt_recording *r = arg;

	/* Orphans, such as fault servers. flt_observe_run() reaps the command. */
	if (info->ssi_signo == SIGCHLD)
		flt_child_reap_orphans(&r->o.child, NULL, NULL);
	else if (!r->kill_at && (info->ssi_signo == SIGTERM || info->ssi_signo == SIGHUP))
		r->kill_at = flt_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	return 0;
}

/* Go on until on_drain() ends the loop: children may still run, and the rings hold faults. */
static int on_command_end(void *arg)
{
	(void)arg;
	return 0;
}

static int on_drain(void *arg)
{
	struct flt_recording *r = arg;
	ssize_t n = flt_rings_drain(r->rings);
	int messages;

	if (n < 0)
		return (int)n;
	if (!(r->drains++ % SAMPLE_EVERY))
		flt_record_sample(r);
	/* The command may ignore the signal, or sleep in a fault that is not served. */
	if (r->kill_at && flt_clock_ns(CLOCK_MONOTONIC) > r->kill_at) {
		if (r->o.child.pid > 0)
			kill(r->o.child.pid, SIGKILL);
		flt_loop_stop(r->o.loop);
	}
	if (r->o.child.pid > 0)
		return 0;
	/* The last messages of ended processes may still be in the socket. */
	messages = flt_rings_dispatch(r->rings);
	flt_rings_expire(r->rings);
	if (!messages && !flt_rings_live(r->rings))
		flt_loop_stop(r->o.loop);
	return messages < 0 ? messages : 0;
}

static int on_message(void *arg, int fd, short events)
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

static int arm(void *arg)
{
	struct flt_recording *r = arg;
	int ret = flt_loop_add(r->o.loop, flt_rings_fd(r->rings), POLLIN, on_message, r);

	r->last_line = flt_clock_ns(CLOCK_MONOTONIC);
	return ret ? ret : flt_loop_every(r->o.loop, FLT_NSEC_PER_SEC, on_second, r);
}

static int stop(void *arg, int err)
{
	struct flt_recording *r = arg;

	/* The command was not executed. */
	if (!r->o.began || r->o.not_run)
		return err;
	r->took = flt_clock_ns(CLOCK_MONOTONIC) - r->o.began;
	if (err) {
		flt_errmsg_errno(&r->o.e, err, CANNOT_WRITE, r->args->output);
	} else {
		flt_rings_kill(r->rings, "fltctl was interrupted");
		flt_record_sample(r);
		flt_record_write_stats(r);
	}
	/* After an error, closing the rings kills processes that still run. */
	flt_rings_close(r->rings);
	r->rings = NULL;
	if (r->o.child.pid > 0)
		flt_child_wait(&r->o.child, &r->o.wait_status, &r->o.usage);
	return err;
}

static int finish(void *arg)
{
	(void)arg;
	return FLT_EXIT_DONE;
}

/* The status of a failed recording takes precedence over that of the command. */
static int salvage(void *arg, int err)
{
	struct flt_recording *r = arg;

	r->failed = flt_exit_of(err);
	return r->failed;
}

static const struct flt_observe_ops ops = {
	.arm = arm,
	.round = on_drain,
	.signal = on_signal,
	.ended = on_command_end,
	.stop = stop,
	.finish = finish,
	.salvage = salvage,
};

/* Report what was recorded. Return the exit status. */
static int sum_up(const struct flt_recording *r)
{
	const struct flt_record_total *t = &r->total;
	const struct flt_loss loss = flt_record_loss(r);
	int status = flt_child_exit_status(r->o.wait_status), shown;

	if (!r->args->quiet)
		flt_record_summary(r);
	if (!t->images)
		flt_command_say(r->run->command, "cannot record the command: none of its processes "
				"loaded the recorder");
	/* Other processes were named when they escaped. */
	if (t->sum.totals.forks_unlimited)
		flt_command_say(r->run->command, "forked past the recorder: %" PRIu64 " process%s",
				(uint64_t)t->sum.totals.forks_unlimited,
				t->sum.totals.forks_unlimited == 1 ? "" : "es");
	if (t->sum.totals.execs_unlimited)
		flt_command_say(r->run->command, "executed out of reach of fltctl (seccomp filter, "
				"network namespace): %" PRIu64
				" program%s", (uint64_t)t->sum.totals.execs_unlimited,
				t->sum.totals.execs_unlimited == 1 ? "" : "s");
	shown = flt_loss_say(&loss, r->run->command);
	if (status)
		return status;
	return !t->images || t->killed ? FLT_EXIT_INCOMPLETE : shown;
}

static struct flt_rec_config config_of(const struct flt_record_args *args)
{
	const uint64_t page = flt_machine_page();
	struct flt_rec_config config = {
		.limit_pages = args->limit / page, .latency_ns = args->latency,
		.bandwidth = args->bandwidth, .policy = (uint32_t)args->policy,
		.max_stack = (uint32_t)args->max_stack, .sample = (uint32_t)args->sample,
		.flags = (args->no_inline ? FLT_REC_NO_INLINE : 0u) |
			 (args->inlined ? FLT_REC_INLINE : 0u) |
			 (args->no_move ? FLT_REC_NO_MOVE : 0u) |
			 (args->no_grants ? FLT_REC_NO_GRANTS : 0u) |
			 (args->no_stack ? FLT_REC_NO_STACK : 0u),
	};

	config.max_pages = args->memory ? args->memory / page :
					  2 * (uint64_t)sysconf(_SC_PHYS_PAGES);
	if (!args->memory && config.max_pages < 2 * config.limit_pages)
		config.max_pages = 2 * config.limit_pages;
	flt_record_choose_room(&config, page);
	return config;
}

int flt_record_preload_may(const struct flt_run *run, const struct flt_record_args *args,
			   char *library, struct flt_errmsg *e)
{
	int ret = flt_record_target_check(run->words.command[0], e);

	if (!ret)
		ret = flt_record_target_may(args->no_move, e);
	return ret ? ret : flt_record_target_library(library, e);
}

/* Create the file and the rings. library: PATH_MAX bytes. Return 0 or the exit status. */
static int open_recording(struct flt_recording *r, const struct flt_rec_config *config,
			  char *library)
{
	const struct flt_ring_receiver receiver = flt_record_images(r);
	const struct flt_command *command = r->run->command;
	char kept[PATH_MAX];
	struct flt_errmsg e = { "" };
	int ret;

	ret = flt_record_preload_may(r->run, r->args, library, &e);
	if (ret)
		return flt_command_fail(command, &e, ret);
	ret = flt_file_create(&r->file, r->args->output, kept);
	if (ret) {
		flt_errmsg_set(&e, ret, "cannot create %s: %s%s", r->args->output, strerror(-ret),
			       output_hint(-ret));
		return flt_command_fail(command, &e, ret);
	}
	if (*kept && !r->args->quiet)
		flt_command_say(command, "kept the earlier recording as %s", kept);
	ret = flt_rings_open(&r->rings, config, &receiver, &e);
	if (ret) {
		flt_file_abandon(r->file);
		return flt_command_fail(command, &e, ret);
	}
	write_info(r, r->run->words.command);
	return 0;
}

/* Run the command under the recorder, and close the file. Return the exit status. */
static int record(struct flt_recording *r, const char *library)
{
	const struct flt_ring_counts *sum = &r->total.sum.faults;
	char preload[PATH_MAX + 4096], name[128];
	const char *const env[] = { preload, name, NULL };
	const char *before = getenv("LD_PRELOAD");
	struct flt_errmsg e = { "" };
	int ret, status;

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s%s%s", library,
		 before && *before ? ":" : "", before ? before : "");
	snprintf(name, sizeof(name), "FLT_RECORD_SOCKET=%s", flt_rings_name(r->rings));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	r->o.setup.env = env;
	status = flt_observe_run(&r->o);
	flt_rings_close(r->rings);
	ret = flt_file_close(r->file, sum->alloc + sum->refault + sum->raced,
			     !r->o.began ? ~0u : r->o.not_run ? (uint32_t)status << 8 :
			     (uint32_t)r->o.wait_status);
	if (!r->o.began || r->o.not_run)
		return status;
	if (r->failed)
		return r->failed;
	if (!ret)
		return sum_up(r);
	if (r->total.discarded)
		flt_command_say(r->run->command, "discarded at least %" PRIu64 " faults",
				r->total.discarded);
	flt_errmsg_errno(&e, ret, CANNOT_WRITE, r->args->output);
	return flt_command_fail(r->run->command, &e, ret);
}

static int prepare_child(void *arg)
{
	const struct flt_recording *r = arg;

	flt_record_allow_addresses(&r->config);
	return flt_record_in_child((void *)r->args);
}

int flt_record_preloaded(struct flt_run *run, const struct flt_record_args *args,
			 struct flt_record_outcome *out)
{
	struct flt_recording r = {
		.run = run, .args = args, .config = config_of(args),
		.o = {
			.command = run->command, .ops = &ops, .arg = &r, .period = DRAIN_NS,
			.setup = {
				.argv = run->words.command, .prepare = prepare_child, .arg = &r,
			},
		},
	};
	const struct flt_rec_config *config = &r.config;
	char library[PATH_MAX];
	int status;

	if (config->max_pages < config->limit_pages)
		return flt_command_misuse(run->command, "invalid -M: smaller than -L");
	status = open_recording(&r, config, library);
	if (status)
		return status;
	status = record(&r, library);
	free(r.pids);
	*out = (struct flt_record_outcome){ .ns = r.took, .total = r.total };
	return status;
}
