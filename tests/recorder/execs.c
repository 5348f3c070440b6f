// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * execs.c - execute each program in each way, in a separate child process.
 *
 *   execs fork | vfork | handler  with | without  PROGRAM...
 *
 * handler: execute in a signal handler on a small stack. without: pass a new environment
 * without the variables of this process. Prints a line with the status of each child; errno
 * if exec failed. Started as "shown" the program prints its arguments.
 */
#include "recent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS "shown", "a b", "", "c"

static char *const arguments[] = { ARGUMENTS, NULL };
static char **environment;

static void by_execl(const char *path)
{
	execl(path, ARGUMENTS, NULL);
}

static void by_execlp(const char *path)
{
	execlp(path, ARGUMENTS, NULL);
}

static void by_execle(const char *path)
{
	execle(path, ARGUMENTS, NULL, environment);
}

/* A descriptor that closes on exec is gone when the interpreter opens the script. */
static void by_fexecve(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd >= 0)
		fexecve(fd, arguments, environment);
}

static void by_fexecve_closes(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd >= 0)
		fexecve(fd, arguments, environment);
}

static void by_execveat(const char *path)
{
	int dir = open(".", O_PATH);

	if (chdir("/") == 0)
		execveat(dir, path, arguments, environment, 0);
}

static void by_execveat_nofollow(const char *path)
{
	execveat(AT_FDCWD, path, arguments, environment, AT_SYMLINK_NOFOLLOW);
}

static void by_execveat_empty(const char *path)
{
	int fd = open(path, O_PATH);

	if (fd >= 0)
		execveat(fd, "", arguments, environment, AT_EMPTY_PATH);
}

static void by_execveat_nothing(const char *path)
{
	execveat(open(path, O_PATH), "", arguments, environment, 0);
}

static const struct {
	const char *name;
	void (*exec)(const char *path);
} ways[] = {
	{ "execl", by_execl }, { "execlp", by_execlp }, { "execle", by_execle },
	{ "fexecve", by_fexecve }, { "fexecve_closes", by_fexecve_closes },
	{ "execveat", by_execveat }, { "execveat_nofollow", by_execveat_nofollow },
	{ "execveat_empty", by_execveat_empty }, { "execveat_nothing", by_execveat_nothing },
};

static void (*chosen)(const char *path);
static const char *program;

static void handler(int sig)
{
	(void)sig;
	chosen(program);
}

static void attempt(const char *how)
{
	static char room[256 << 10];
	size_t frame = (size_t)sysconf(_SC_MINSIGSTKSZ);
	/* The vectors of some processors do not fit into a small stack. */
	stack_t small = { .ss_sp = room, .ss_size = (long)frame > 4096 ? frame + 8192 : 8192 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	if (!strcmp(how, "handler")) {
		sigaltstack(&small, NULL);
		sigaction(SIGUSR1, &action, NULL);
		raise(SIGUSR1);
	} else {
		chosen(program);
	}
	_exit(errno);
}

static char **added(bool with)
{
	static char word[] = "ADDED=1";
	char **to;
	int n = 0;

	for (char **e = environ; with && *e; e++)
		n++;
	to = calloc((size_t)n + 2, sizeof(*to));
	if (with)
		memcpy(to, environ, (size_t)n * sizeof(*to));
	to[n] = word;
	return to;
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (!strcmp(argv[0], "shown")) {
		for (int i = 0; i < argc; i++)
			printf("[%s]", argv[i]);
		printf(" %s\n", getenv("ADDED") ? getenv("ADDED") : "");
		return 0;
	}
	if (argc < 4)
		return 2;
	environment = added(!strcmp(argv[2], "with"));
	for (int i = 3; i < argc; i++) {
		for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++) {
			program = argv[i];
			chosen = ways[k].exec;
			fflush(stdout);
			pid = strcmp(argv[1], "vfork") ? fork() : vfork();
			if (!pid)
				attempt(argv[1]);
			waitpid(pid, &status, 0);
			printf("%s %s: %x\n", ways[k].name, program, status);
		}
	}
	return 0;
}
