// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faultrun [-w] [-o FILE] -- COMMAND [ARG...] - print the kernel's counts of every process.
 *
 * Runs COMMAND. When a process of its tree ends, prints
 *     proc PID START COMM MINFLT MAJFLT
 * with START in clock ticks, and at the end
 *     tree PROCESSES MINFLT MAJFLT     from getrusage(RUSAGE_CHILDREN)
 * The counts come from /proc/PID/stat of the zombie. They are final, because no thread of
 * the process runs any more. faultrun traces the whole tree with ptrace, in order to see
 * each zombie before its parent reaps it. This changes no count. With -w it does not trace
 * and sees only its child and orphans, for commands that use ptrace themselves.
 *
 * The status is that of COMMAND, or 128 + signal if a signal ended it.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE *out;
static unsigned long processes;

struct ended {
	pid_t pid;
	unsigned long long start;
};

/*
 * Return 1 if the process was already passed. waitid() can report a process twice: to
 * us as its tracer, and to us as its new parent if its parent has ended meanwhile.
 */
static int seen_before(pid_t pid, unsigned long long start)
{
	static struct ended *list;
	static size_t n;

	for (size_t i = n; i-- > 0;)
		if (list[i].pid == pid && list[i].start == start)
			return 1;
	if (!(n & (n + 1))) {
		list = realloc(list, 2 * (n + 1) * sizeof(*list));
		if (!list)
			err(1, "realloc");
	}
	list[n].pid = pid;
	list[n++].start = start;
	return 0;
}

/* Print the totals of the zombie's thread group, without its children. */
static void stat_print(pid_t pid)
{
	char name[64], line[1024], *comm, *end;
	unsigned long long start;
	unsigned long minflt, majflt;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	f = fopen(name, "r");
	if (!f || !fgets(line, sizeof(line), f))
		err(1, "%s", name);
	fclose(f);
	comm = strchr(line, '(');
	end = strrchr(line, ')');
	if (!comm || !end ||
	    sscanf(end + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu %*u %*u %*u %*d %*d %*d %*d %*d "
		   "%*d %llu",
		   &minflt, &majflt, &start) != 3)
		errx(1, "cannot read %s", name);
	*end = 0;
	for (char *c = comm + 1; *c; c++)
		if (*c <= ' ' || *c > '~')
			*c = '?';
	if (seen_before(pid, start))
		return;
	fprintf(out, "proc %d %llu %s %lu %lu\n", (int)pid, start, comm + 1, minflt, majflt);
	processes++;
}

static int is_leader(pid_t pid)
{
	char name[64], line[256];
	int tgid = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	f = fopen(name, "r");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	fclose(f);
	return tgid == pid;
}

static void resume(pid_t pid, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	/* A group stop: the process stays stopped until SIGCONT. */
	if (event == PTRACE_EVENT_STOP && (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN ||
					   sig == SIGTTOU)) {
		ptrace(PTRACE_LISTEN, pid, 0, 0);
		return;
	}
	ptrace(PTRACE_CONT, pid, 0, event ? 0 : sig);
}

/*
 * Take the stop that waitid() reported. If the process was killed meanwhile, its end is reported
 * next: waitpid() would reap it here, unseen.
 */
static void take_stop(pid_t pid)
{
	siginfo_t si = { .si_pid = 0 };

	/* The low byte is the signal, the next one the event of ptrace. */
	if (!waitid(P_PID, (id_t)pid, &si, WSTOPPED | WNOHANG | __WALL) && si.si_pid)
		resume(pid, si.si_status << 8 | 0x7f);
}

static int run(pid_t child)
{
	siginfo_t si;
	int status = 0, result = 1;

	for (;;) {
		memset(&si, 0, sizeof(si));
		if (waitid(P_ALL, 0, &si, WEXITED | WSTOPPED | __WALL | WNOWAIT)) {
			if (errno == EINTR)
				continue;
			if (errno == ECHILD)
				return result;
			err(1, "waitid");
		}
		if (si.si_code == CLD_STOPPED || si.si_code == CLD_TRAPPED) {
			take_stop(si.si_pid);
			continue;
		}
		if (is_leader(si.si_pid))
			stat_print(si.si_pid);
		if (waitpid(si.si_pid, &status, __WALL) != si.si_pid)
			continue;
		if (si.si_pid == child)
			result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
}

int main(int argc, char **argv)
{
	int opt, trace = 1, gate[2], result;
	struct rusage all;
	pid_t child;
	char go;

	out = stdout;
	while ((opt = getopt(argc, argv, "+wo:")) != -1) {
		if (opt == 'w')
			trace = 0;
		else if (opt == 'o')
			out = fopen(optarg, "we");
		else
			errx(2, "usage: faultrun [-w] [-o FILE] -- COMMAND [ARG...]");
		if (!out)
			err(1, "%s", optarg);
	}
	if (optind == argc)
		errx(2, "usage: faultrun [-w] [-o FILE] -- COMMAND [ARG...]");
	/* Orphans become our children, so the tree ends with its last process. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) || pipe(gate))
		err(1, "prctl");
	signal(SIGINT, SIG_IGN);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (child == 0) {
		signal(SIGINT, SIG_DFL);
		close(gate[1]);
		if (read(gate[0], &go, 1) != 1)
			_exit(1);
		close(gate[0]);
		execvp(argv[optind], argv + optind);
		err(127, "%s", argv[optind]);
	}
	close(gate[0]);
	if (trace && ptrace(PTRACE_SEIZE, child, 0,
			    PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
				    PTRACE_O_EXITKILL))
		err(1, "ptrace");
	if (write(gate[1], "g", 1) != 1)
		err(1, "pipe");
	close(gate[1]);
	result = run(child);
	getrusage(RUSAGE_CHILDREN, &all);
	fprintf(out, "tree %lu %ld %ld\n", processes, all.ru_minflt, all.ru_majflt);
	if (fclose(out))
		err(1, "write");
	return result;
}
