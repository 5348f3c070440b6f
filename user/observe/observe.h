/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observe.h - observe a command or running processes until they end.
 *
 * Every command of fltctl that watches something runs through flt_observe_run():
 *
 *   1. signals are taken and the command is forked up to its gate,
 *   2. .arm prepares the counters of the command, while the command waits,
 *   3. the gate opens; .round runs every period,
 *   4. the loop ends with the command, by a signal, by flt_loop_stop() or by an error,
 *   5. .stop ends the observation; a command that still runs is waited for,
 *   6. .finish reports, or .salvage if the loop failed.
 *
 * A terminal sends its Ctrl-C to the command by itself. Other signals are passed on to the
 * command, and the loop ends after the command. Without a command, a signal ends the loop.
 * An error of fltctl never ends the command.
 */
#ifndef FLT_OBSERVE_H
#define FLT_OBSERVE_H

#include "cli/command.h"
#include "observe/child.h"
#include "observe/correlation.h"
#include "observe/loop.h"

/* All callbacks but .finish may be NULL. They return 0 or -errno, except where noted. */
struct flt_observe_ops {
	/* Prepare to observe .child.pid, or the processes of -p if .child.pid is 0. */
	int (*arm)(void *arg);
	/* Called every .period. */
	int (*round)(void *arg);
	/* Called while .progress is set and standard error is a terminal. */
	int (*progress)(void *arg);
	/* Fill the counters for --with. */
	int (*count)(void *arg, struct flt_correlation_counts *counts);
	/* Called for every signal, after the default action. */
	int (*signal)(void *arg, const struct signalfd_siginfo *info);
	/* The command ended. The loop stops if this is NULL. */
	int (*ended)(void *arg);
	/*
	 * End the observation. The command may still run. Called once after .arm, also if .arm
	 * or the loop failed: err is the reason then.
	 */
	int (*stop)(void *arg, int err);
	/* Report, after the command ended. Return the exit status. */
	int (*finish)(void *arg);
	/* Called in place of .finish if the loop failed. The error was reported. */
	int (*salvage)(void *arg, int err);
};

/* The bit of a signal in .extra_signals. */
#define FLT_OBSERVE_SIGNAL(number) (1ull << ((number) - 1))

struct flt_observe {
	/* Set by the caller. */
	const struct flt_command *command;	/* reports errors */
	const struct flt_observe_ops *ops;
	void *arg;			/* for ops */
	struct flt_child_setup setup;	/* .argv NULL: there is no command to run */
	uint64_t period;		/* ns between rounds; 0: no rounds */
	bool once;			/* .arm does all: take no signals, run no loop */
	bool progress;			/* show progress if standard error is a terminal */
	uint64_t extra_signals;		/* bits of those that only .signal handles */
	struct flt_correlation *with;	/* of --with, or NULL */
	int stdout_of_command;		/* if ours was replaced (output_redirect()), else 0 */

	/* For the callbacks. */
	struct flt_loop *loop;
	struct flt_child child;		/* pid 0: there is no command, -1: it ended */
	struct flt_errmsg e;		/* the sentence for an error that a callback returns */
	uint64_t began;			/* CLOCK_MONOTONIC ns when the gate opened */
	int wait_status;		/* of wait4(), after the command ended */
	struct rusage usage;
	bool not_run;			/* the command could not be executed */

	bool terminal, shown;		/* standard error is a terminal; progress was shown */
};

/*
 * Run all steps. Return the exit status: that of the command if it is not 0, 126 or 127 if
 * the command cannot be executed, else that of .finish.
 */
int flt_observe_run(struct flt_observe *o);

/* Show a line of progress in place. Only .progress calls this. */
void flt_observe_show(struct flt_observe *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Report that a program cannot be executed. Return the shell's exit status for that. */
int flt_observe_cannot_run(const struct flt_command *command, const char *program, int err);

#endif
