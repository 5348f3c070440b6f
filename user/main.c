// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - find and run a command, and check that its output was written. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/manual.h"
#include "cmd/commands.h"
#include "source/netlink/control.h"
#include "view/table/json.h"

/*
 * Open /dev/null for each closed standard file. Otherwise a data file could get descriptor
 * 1 or 2, and messages would be written into it. The descriptors are close-on-exec, so a
 * command inherits them closed.
 */
static void keep_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/*
 * Use a large buffer, so that complete rows are written at once (see view/table). A command
 * that we run may write to the same file. On a terminal lines are written at once.
 */
static void buffer_output(void)
{
	static char buffer[256 << 10];

	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

/*
 * Report data that could not be written. If the reader of a pipe has gone, end by SIGPIPE
 * without a message.
 */
static int close_output(int status)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	int err;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	err = errno;
	/* An earlier failure left no errno, so poll the pipe for a missing reader. */
	if (err == EPIPE || (poll(&out, 1, 0) == 1 && out.revents & POLLERR)) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
		return 128 + SIGPIPE;
	}
	if (err)
		fprintf(stderr, "fltctl: cannot write to standard output: %s\n", strerror(err));
	else if (status != FLT_EXIT_FAILED)	/* otherwise it was reported earlier */
		fprintf(stderr, "fltctl: cannot write to standard output\n");
	return status ? status : FLT_EXIT_FAILED;
}

static int open_needs(struct flt_run *run)
{
	const struct flt_command *command = run->command;
	int ret;

	if (!(command->needs & (FLT_NEEDS_MODULE | FLT_USES_MODULE)))
		return 0;
	ret = flt_control_open(&run->control, &run->control_message);
	run->control_error = ret;
	if (ret && (command->needs & FLT_NEEDS_MODULE))
		return flt_command_fail(command, &run->control_message, ret);
	return 0;
}

static int run_command(const struct flt_command *command, int argc, char **argv)
{
	struct flt_run run = { .command = command };
	struct flt_errmsg e = { "" };
	int ret, status;

	run.args = calloc(1, command->args_size ? command->args_size : 1);
	if (!run.args)
		return flt_command_fail(command, NULL, -ENOMEM);
	if (command->defaults)
		memcpy(run.args, command->defaults, command->args_size);

	ret = flt_opts_parse(command->opts, run.args, argc, argv, &run.words, &e);
	if (ret) {
		status = flt_command_misuse(command, "%s", flt_errmsg_text(&e, ret));
	} else if (run.words.help) {
		flt_manual_help(stdout, command);
		status = FLT_EXIT_DONE;
	} else {
		status = open_needs(&run);
		if (!status)
			status = command->main(&run);
		flt_control_close(run.control);
	}
	flt_opts_free(command->opts, run.args);
	free(run.args);
	return status;
}

static int refuse_command(const char *name)
{
	const char *names[64], *nearest;
	size_t i;

	for (i = 0; flt_commands[i]; i++)
		names[i] = flt_commands[i]->name;
	names[i] = NULL;
	nearest = name[0] == '-' ? NULL : flt_opts_nearest(name, names);
	if (nearest)
		flt_command_say(NULL, "unknown command '%s'; did you mean '%s'?", name, nearest);
	else
		flt_command_say(NULL, "unknown %s '%s'", name[0] == '-' ? "option" : "command",
				name);
	fprintf(stderr, "Try 'fltctl help'.\n");
	return FLT_EXIT_USAGE;
}

/* Tell a new user where to begin. Without the module most commands have less to show. */
static void tell_first_steps(void)
{
	if (!access("/sys/module/flt", F_OK))
		return;
	fputs("\nThe flt module is not loaded. To begin:\n"
	      "  fltctl check                 find out what this machine can do\n"
	      "  modprobe flt                 count every fault, as root\n"
	      "  fltctl record -- COMMAND     record a command now, without the module\n", stderr);
}

int main(int argc, char **argv)
{
	const struct flt_command *command;
	int status;

	keep_standard_files();
	buffer_output();
	if (argc < 2) {
		flt_manual_overview(stderr, flt_commands);
		tell_first_steps();
		status = FLT_EXIT_USAGE;
	} else if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("fltctl %s (json %d)\n", FLT_VERSION, FLT_JSON_VERSION);
		status = FLT_EXIT_DONE;
	} else if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		flt_manual_overview(stdout, flt_commands);
		status = FLT_EXIT_DONE;
	} else {
		command = flt_command_find(argv[1]);
		status = command ? run_command(command, argc - 1, argv + 1) :
				   refuse_command(argv[1]);
	}
	return close_output(status);
}
