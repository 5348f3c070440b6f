// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/observe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text/clock.h"
#include "text/terminal.h"
#include "text/units.h"

#define PROGRESS_NS (500 * FLT_NSEC_PER_MSEC)

static int on_child(struct flt_observe *o)
{
	int ret;

	if (o->child.pid <= 0)
		return 0;
	ret = flt_child_poll(&o->child, &o->wait_status, &o->usage);
	if (ret == -EAGAIN)
		return 0;
	if (!ret && o->ops->ended)
		return o->ops->ended(o->arg);
	flt_loop_stop(o->loop);
	return ret;
}

/* Return true if only .signal handles the signal. */
static bool is_extra(const struct flt_observe *o, int signo)
{
	return o->extra_signals & FLT_OBSERVE_SIGNAL(signo);
}

static void pass_on(const struct flt_observe *o, const struct signalfd_siginfo *info)
{
	const int signo = (int)info->ssi_signo;

	/* A terminal sends its signals to the command, too. */
	if (!is_extra(o, signo) && info->ssi_code != SI_KERNEL)
		kill(o->child.pid, signo);
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct flt_observe *o = arg;
	const int signo = (int)info->ssi_signo;
	int ret = 0;

	if (signo == SIGCHLD)
		ret = on_child(o);
	else if (o->child.pid > 0)
		pass_on(o, info);
	else if (!is_extra(o, signo))
		flt_loop_stop(o->loop);
	return ret || !o->ops->signal ? ret : o->ops->signal(o->arg, info);
}

static int take_signals(struct flt_observe *o, struct flt_loop *loop, sigset_t *before,
			flt_loop_signal_fn fn, void *arg)
{
	sigset_t signals;
	int signo;

	/* A parent that ignores SIGCHLD would have our child reaped for us. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGQUIT);
	for (signo = 1; signo < 64; signo++)
		if (o->extra_signals & FLT_OBSERVE_SIGNAL(signo))
			sigaddset(&signals, signo);
	return flt_loop_signals(loop, &signals, before, fn, arg);
}

/* Make standard output the original one for a fork, or the file of -o again. */
static int swap_stdout(struct flt_observe *o, int *file)
{
	if (!o->stdout_of_command)
		return 0;
	if (*file < 0) {
		*file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		return *file < 0 || dup2(o->stdout_of_command, STDOUT_FILENO) < 0 ? -errno : 0;
	}
	if (dup2(*file, STDOUT_FILENO) < 0)
		return -errno;
	close(*file);
	return 0;
}

/*
 * Fork the command up to its gate. With --with its standard output is our pipe, which is passed on
 * to the original standard output. The child does not flush our stdout, so what is in the buffer
 * is written to the file of -o later.
 */
static int fork_command(struct flt_observe *o, const sigset_t *mask)
{
	int ret, back, file = -1;

	o->setup.mask = mask;
	ret = swap_stdout(o, &file);
	if (ret)
		return ret;
	ret = flt_correlation_redirect(o->with);
	if (!ret)
		ret = flt_child_fork(&o->child, &o->setup, &o->e);
	if (ret)
		o->child.pid = 0;
	back = flt_correlation_restore(o->with, o->loop);
	if (!back)
		back = swap_stdout(o, &file);
	return ret ? ret : back;
}

static int on_progress(void *arg)
{
	struct flt_observe *o = arg;

	return o->ops->progress(o->arg);
}

static int on_count(void *arg)
{
	struct flt_correlation_counts counts = { 0 };
	struct flt_observe *o = arg;

	if (!o->ops->count(o->arg, &counts))
		flt_correlation_add(o->with, flt_clock_ns(CLOCK_MONOTONIC), &counts);
	return 0;
}

static int add_timers(struct flt_observe *o)
{
	int ret = 0;

	if (o->period)
		ret = flt_loop_every(o->loop, o->period, o->ops->round, o->arg);
	if (!ret && o->progress && o->terminal)
		ret = flt_loop_every(o->loop, PROGRESS_NS, on_progress, o);
	if (!ret && o->with)
		ret = flt_loop_every(o->loop, FLT_CORRELATION_PERIOD_NS, on_count, o);
	return ret;
}

static int stop(struct flt_observe *o, int err)
{
	return o->ops->stop ? o->ops->stop(o->arg, err) : 0;
}

static int start(struct flt_observe *o)
{
	sigset_t before;
	int ret = 0;

	if (!o->once)
		ret = take_signals(o, o->loop, &before, on_signal, o);
	if (!ret && o->setup.argv)
		ret = fork_command(o, &before);
	if (!ret) {
		ret = o->ops->arm ? o->ops->arm(o->arg) : 0;
		if (!ret)
			ret = add_timers(o);
		if (ret)
			stop(o, ret);
	}
	if (ret && o->child.pid > 0)
		flt_child_cancel(&o->child);
	return ret;
}

/* Open the gate. Return 0 or the exit status for a command that cannot be executed. */
static int release(struct flt_observe *o)
{
	int err;

	o->began = flt_clock_ns(CLOCK_MONOTONIC);
	flt_correlation_add(o->with, o->began, &(struct flt_correlation_counts){ 0 });
	if (!o->setup.argv)
		return 0;
	err = flt_child_release(&o->child);
	if (!err)
		return 0;
	o->not_run = true;
	stop(o, err);
	return flt_observe_cannot_run(o->command, o->setup.argv[0], err);
}

/* A command that runs on after the observation has ended. */
struct rest {
	struct flt_observe *o;
	struct flt_loop *loop;
};

static int reap_command(struct rest *r)
{
	int ret = flt_child_poll(&r->o->child, &r->o->wait_status, &r->o->usage);

	if (ret == -EAGAIN)
		return 0;
	flt_loop_stop(r->loop);
	return ret;
}

static int on_late_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct rest *r = arg;

	if (info->ssi_signo == SIGCHLD)
		return reap_command(r);
	pass_on(r->o, info);
	return 0;
}

/* Wait until the command ends. Pass signals on to the command, and on its output for --with. */
static void wait_for_command(struct flt_observe *o)
{
	struct rest r = { .o = o };

	if (!flt_loop_new(&r.loop) && !take_signals(o, r.loop, NULL, on_late_signal, &r) &&
	    !flt_correlation_watch(o->with, r.loop) && !reap_command(&r))
		flt_loop_run(r.loop);
	flt_loop_free(r.loop);
	if (o->child.pid > 0)
		flt_child_wait(&o->child, &o->wait_status, &o->usage);
}

static int observe(struct flt_observe *o)
{
	int err = o->once ? 0 : flt_loop_run(o->loop), end, status;

	if (o->terminal && o->shown)
		fputs("\r" FLT_TERMINAL_ERASE, stderr);
	end = stop(o, err);
	err = err ? err : end;
	if (err)
		flt_command_say(o->command, "%s%s", flt_errmsg_text(&o->e, err),
				o->child.pid > 0 ? "; the command runs on" : "");
	if (o->child.pid > 0)
		wait_for_command(o);
	flt_correlation_pass_on(o->with);
	if (!err)
		status = o->ops->finish(o->arg);
	else
		status = o->ops->salvage ? o->ops->salvage(o->arg, err) : flt_exit_of(err);
	if (o->setup.argv && o->wait_status)
		status = flt_child_exit_status(o->wait_status);
	return status;
}

int flt_observe_run(struct flt_observe *o)
{
	int ret, status;

	o->terminal = flt_terminal_can_erase(stderr);
	ret = flt_loop_new(&o->loop);
	if (!ret)
		ret = start(o);
	if (ret) {
		status = flt_command_fail(o->command, &o->e, ret);
	} else {
		status = release(o);
		if (!o->not_run)
			status = observe(o);
	}
	flt_loop_free(o->loop);
	o->loop = NULL;
	return status;
}

void flt_observe_show(struct flt_observe *o, const char *fmt, ...)
{
	const uint64_t elapsed = flt_clock_ns(CLOCK_MONOTONIC) - o->began;
	va_list ap;

	fprintf(stderr, "\r%.1f s: ", (double)elapsed / 1e9);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs(FLT_TERMINAL_ERASE, stderr);
	o->shown = true;
}

int flt_observe_cannot_run(const struct flt_command *command, const char *program, int err)
{
	flt_command_say(command, "cannot run %s: %s", program, strerror(-err));
	return flt_child_exec_status(err);
}
