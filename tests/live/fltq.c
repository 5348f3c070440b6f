// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fltq - read the module for tests, without code of fltctl. Print one line of key=value per row.
 *
 *   fltq info | tally | hooks | latency | returns | procs | proc TGID | tasks TGID
 *   fltq follow [-c] [-h] [-o FILE] -- COMMAND...   run COMMAND in a session that follows
 *                     children. -c: counts are enough for the session (COUNTS). -h: print the
 *                     sum ("base") before COMMAND starts, and the histograms of the session
 *                     ("latency"), of 64 processes, after its end. After its end, print the rows of the session ("proc"), their sum
 *                     ("session") and the kernel's counts of COMMAND ("root"). Exit with
 *                     the status of COMMAND
 *   fltq around [-o FILE] -- COMMAND...   run a workload with sections (section.h). Print
 *                     the sum of the faults in its sections ("sections")
 *   fltq thp | numa [SESSION]             print a ledger: machine, no process, processes
 *   fltq slowest SESSION                  print the slowest faults of a session with causes
 *   fltq hold [-c] [-f] [-t] [-n] [-s] [TGID...]   open a session, print it, keep it until end
 *                     of file on stdin. -c: counts are enough, -f: follow children, -t: ledger of huge pages,
 *                     -n: ledger of NUMA, -s: stream into files that are never opened
 *   fltq switch N     let the module switch between its probes N times in each direction, and print
 *                     how often it did
 *   fltq machine      print all totals at one moment, with those of the kernel (machine.h)
 *   fltq del ID                           end a session of another process (refused)
 *
 * Errors: "fltq: COMMAND: ERRNO-NAME: extack message" on stderr, status 1.
 */
#include "errno_name.h"
#include "machine.h"
#include "row.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define USAGE                                                                          \
	"usage: fltq info|tally|hooks|latency|returns|procs|proc TGID|tasks TGID|thp|" \
	"numa|slowest|machine|follow|around|hold|switch|del"

static FILE *out;
static struct genl g;

static void start(uint8_t cmd, int dump)
{
	genl_start(&g, g.family, NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK), cmd,
		   FLT_GENL_VERSION);
}

static void finish(const char *what, int rc)
{
	if (rc)
		errx(1, "%s: %s: %s", what, errno_name(-rc), g.error);
}

static void print(const struct nlmsghdr *nlh, void *shape)
{
	row_print(out, shape, nlh);
}

/* Print "interrupted" as the last line of an interrupted dump, because it may lack rows. */
static void ask(const char *what, const struct shape *shape)
{
	finish(what, genl_talk(&g, print, (void *)shape));
	if (g.interrupted)
		fprintf(out, "interrupted\n");
}

struct wanted {
	pid_t tgid;
	int found;
	struct account acc;
};

static void snapshot_read(const struct nlmsghdr *nlh, void *data)
{
	struct wanted *w = data;
	const struct nlattr *account = NULL;
	uint64_t tgid = 0, ended = 0;
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	genl_for_each(a, first, bytes) {
		if (genl_type(a) == FLT_PROC_TGID)
			tgid = genl_number(a);
		else if (genl_type(a) == FLT_PROC_ENDED)
			ended = 1;
		else if (genl_type(a) == FLT_PROC_ACCOUNT)
			account = a;
	}
	if (tgid != (uint64_t)w->tgid || ended || !account)
		return;
	w->found++;
	account_read(&w->acc, account);
}

/* Read the account of a process. It is 0 without a row, because the process has not faulted. */
static void snapshot(pid_t tgid, struct account *acc)
{
	struct wanted w = { .tgid = tgid };
	int rc;

	do {
		w.found = 0;
		start(FLT_CMD_PROC_GET, 1);
		genl_put(&g, FLT_PROC_KINDS, NULL, 0);
		rc = genl_talk(&g, snapshot_read, &w);
	} while (rc == 0 && g.interrupted);
	finish("snapshot", rc);
	if (w.found > 1)
		errx(1, "process %d has %d live rows", (int)tgid, w.found);
	*acc = w.acc;
}

static uint32_t session_id;

static void session_read(const struct nlmsghdr *nlh, void *unused)
{
	const struct nlattr *a = genl_find(nlh, FLT_SESSION_ID);

	(void)unused;
	if (a)
		session_id = (uint32_t)genl_number(a);
}

/*
 * Open a session. flags: FLT_SESSION_FOLLOW, _THP, _NUMA and _STREAM, terminated by 0. hist:
 * number of processes with a histogram; 0: none.
 */
static void session_open(const uint32_t *tgids, int n, const uint16_t *flags, uint32_t hist)
{
	start(FLT_CMD_SESSION_NEW, 0);
	for (int i = 0; i < n; i++)
		genl_put_u32(&g, FLT_SESSION_TGID, tgids[i]);
	for (; *flags; flags++)
		genl_put(&g, *flags, NULL, 0);
	if (hist)
		genl_put_u32(&g, FLT_SESSION_HIST, hist);
	finish("session", genl_talk(&g, session_read, NULL));
}

static void session_print(const struct shape *shape)
{
	start(FLT_CMD_SESSION_GET, 0);
	genl_put_u32(&g, FLT_SESSION_ID, session_id);
	genl_put(&g, FLT_SESSION_KINDS, NULL, 0);
	ask("session", shape);
}

static void hists_print(void)
{
	static const uint16_t groups[] = { 0, FLT_LATENCY_RETURNS, FLT_LATENCY_PROCS };

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		start(FLT_CMD_LATENCY_GET, 1);
		genl_put_u32(&g, FLT_LATENCY_SESSION, session_id);
		if (groups[i])
			genl_put(&g, groups[i], NULL, 0);
		ask("latency", &latency_shape);
	}
}

/* Print the kernel's counts of a zombie, without those of its children, as faultrun does. */
static void root_print(pid_t pid)
{
	unsigned long long begun;
	unsigned long minflt, majflt;
	char name[64], line[1024], *end;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	f = fopen(name, "r");
	if (!f || !fgets(line, sizeof(line), f))
		err(1, "%s", name);
	fclose(f);
	end = strrchr(line, ')');
	if (!end ||
	    sscanf(end + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu %*u"
		   " %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &minflt, &majflt, &begun) != 3)
		errx(1, "cannot read %s", name);
	fprintf(out, "root %d %llu %lu %lu\n", (int)pid, begun, minflt, majflt);
}

static int status_of(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		err(1, "wait");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int follow(char **argv, bool counts, bool hist)
{
	int gate[2];
	siginfo_t si;
	pid_t pid;
	char go;
	uint32_t tgid;
	const uint16_t flags[] = { FLT_SESSION_FOLLOW, counts ? FLT_SESSION_COUNTS : 0, 0 };

	if (pipe(gate))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		close(gate[1]);
		if (hist)
			raise(SIGSTOP);
		if (read(gate[0], &go, 1) != 1)
			_exit(1);
		close(gate[0]);
		execvp(*argv, argv);
		err(127, "%s", *argv);
	}
	close(gate[0]);
	tgid = (uint32_t)pid;
	/* A stopped process has no fault in progress. */
	if (hist && waitid(P_PID, (id_t)pid, &si, WSTOPPED))
		err(1, "waitid");
	session_open(&tgid, 1, flags, hist ? 64 : 0);
	if (hist) {
		session_print(&base_shape);
		kill(pid, SIGCONT);
	}
	if (write(gate[1], "g", 1) != 1)
		err(1, "pipe");
	if (waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT))
		err(1, "waitid");
	start(FLT_CMD_PROC_GET, 1);
	genl_put_u32(&g, FLT_PROC_SESSION, session_id);
	genl_put(&g, FLT_PROC_KINDS, NULL, 0);
	ask("rows", &proc_shape);
	session_print(&session_shape);
	root_print(pid);
	if (hist)
		hists_print();
	return status_of(pid);
}

struct gate_word {
	char what;
	pid_t pid;
};

/* Counters that are maxima, so that account_add() must not subtract them. */
static const bool is_max[FLT_ACCOUNT_MAX + 1] = {
#define FOLD(member, attribute, number, bits, fold, ...) [number] = FLT_FOLD_##fold == FLT_FOLD_MAX,
	FLT_COUNTERS(FOLD)
#undef FOLD
};

static void account_add(struct account *sum, const struct account *from, const struct account *to)
{
	for (int i = 1; i <= FLT_ACCOUNT_MAX; i++) {
		if (is_max[i])
			sum->value[i] = to->value[i] > sum->value[i] ? to->value[i] : sum->value[i];
		else
			sum->value[i] += to->value[i] - from->value[i];
	}
	for (int i = 0; i <= FLT_KIND_MAX; i++)
		sum->kind[i] += to->kind[i] - from->kind[i];
}

static int around(char **argv)
{
	struct account before = { .kinds = 0 }, after, sum = { .kinds = 1 };
	int ask_pipe[2], answer[2], sections = 0;
	struct gate_word w;
	char spec[64];
	pid_t pid;

	if (pipe(ask_pipe) || pipe(answer))
		err(1, "pipe");
	snprintf(spec, sizeof(spec), "%d,%d", answer[0], ask_pipe[1]);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		close(ask_pipe[0]);
		close(answer[1]);
		setenv("FLT_GATE", spec, 1);
		execvp(*argv, argv);
		err(127, "%s", *argv);
	}
	close(ask_pipe[1]);
	close(answer[0]);
	while (read(ask_pipe[0], &w, sizeof(w)) == sizeof(w)) {
		if (w.what == 'b')
			snapshot(w.pid, &before);
		if (w.what == 'e') {
			snapshot(w.pid, &after);
			account_add(&sum, &before, &after);
			sections++;
		}
		if (write(answer[1], "g", 1) != 1)
			err(1, "gate");
	}
	fprintf(out, "sections n=%d", sections);
	account_print(out, "", &sum);
	fputc('\n', out);
	return status_of(pid);
}

static int hold(int argc, char **argv)
{
	uint32_t tgids[FLT_SESSION_TGIDS_MAX + 1];
	uint16_t flags[6] = { 0 };
	int n = 0, f = 0;
	char c;

	for (int i = 0; i < argc && n <= FLT_SESSION_TGIDS_MAX; i++) {
		if (!strcmp(argv[i], "-c") && f < 5)
			flags[f++] = FLT_SESSION_COUNTS;
		else if (!strcmp(argv[i], "-f") && f < 5)
			flags[f++] = FLT_SESSION_FOLLOW;
		else if (!strcmp(argv[i], "-t") && f < 5)
			flags[f++] = FLT_SESSION_THP;
		else if (!strcmp(argv[i], "-n") && f < 5)
			flags[f++] = FLT_SESSION_NUMA;
		else if (!strcmp(argv[i], "-s") && f < 5)
			flags[f++] = FLT_SESSION_STREAM;
		else
			tgids[n++] = (uint32_t)strtoul(argv[i], NULL, 10);
	}
	session_open(tgids, n, flags, 0);
	session_print(&session_shape);
	fflush(out);
	while (read(0, &c, 1) > 0)
		;
	session_print(&session_shape);
	return 0;
}

static void session_del(uint32_t id)
{
	start(FLT_CMD_SESSION_DEL, 0);
	genl_put_u32(&g, FLT_SESSION_ID, id);
	finish("del", genl_talk(&g, NULL, NULL));
}

static void info_read(const struct nlmsghdr *nlh, void *returns)
{
	*(bool *)returns = genl_find(nlh, FLT_INFO_RETURNS);
}

/* Return true if the returns of faults are probed. */
static bool returns_are_probed(void)
{
	bool returns = false;

	start(FLT_CMD_INFO_GET, 0);
	finish("info", genl_talk(&g, info_read, &returns));
	return returns;
}

/*
 * Let the module switch between its two probes, so many times in both directions. Between two of
 * these, close a session and open another one at once, so that a switch meets one in progress.
 */
static void switch_probes(uint32_t times)
{
	const uint16_t no_flags[] = { 0 };
	uint32_t switches = 0;

	for (uint32_t i = 0; i < times; i++) {
		if (returns_are_probed())
			errx(1, "returns are probed without a session");
		for (int k = 0; k < 2; k++) {
			session_open(NULL, 0, no_flags, 0);
			if (!returns_are_probed())
				errx(1, "returns are not probed");
			session_del(session_id);
		}
		switches++;
		while (returns_are_probed())
			usleep(1000);
		switches++;
	}
	fprintf(out, "switches %u\n", switches);
}

static int run(int argc, char **argv)
{
	const char *what = argv[1];
	uint32_t number = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;

	if (!strcmp(what, "info")) {
		start(FLT_CMD_INFO_GET, 0);
		ask(what, &info_shape);
	} else if (!strcmp(what, "tally")) {
		start(FLT_CMD_TALLY_GET, 0);
		ask(what, &tally_shape);
	} else if (!strcmp(what, "hooks")) {
		start(FLT_CMD_HOOK_GET, 1);
		ask(what, &hook_shape);
	} else if (!strcmp(what, "latency")) {
		start(FLT_CMD_LATENCY_GET, 1);
		ask(what, &latency_shape);
	} else if (!strcmp(what, "returns")) {
		start(FLT_CMD_LATENCY_GET, 1);
		genl_put(&g, FLT_LATENCY_RETURNS, NULL, 0);
		ask(what, &latency_shape);
	} else if (!strcmp(what, "procs")) {
		start(FLT_CMD_PROC_GET, 1);
		genl_put(&g, FLT_PROC_KINDS, NULL, 0);
		ask(what, &proc_shape);
	} else if (!strcmp(what, "proc") && argc == 3) {
		start(FLT_CMD_PROC_GET, 0);
		genl_put_u32(&g, FLT_PROC_TGID, number);
		ask(what, &proc_shape);
	} else if (!strcmp(what, "tasks") && argc == 3) {
		start(FLT_CMD_TASK_GET, 1);
		genl_put_u32(&g, FLT_TASK_TGID, number);
		ask(what, &task_shape);
	} else if (!strcmp(what, "thp") || !strcmp(what, "numa")) {
		start(*what == 't' ? FLT_CMD_THP_GET : FLT_CMD_NUMA_GET, 1);
		if (number)
			genl_put_u32(&g, FLT_LEDGER_SESSION, number);
		ask(what, *what == 't' ? &thp_shape : &numa_shape);
	} else if (!strcmp(what, "slowest") && argc == 3) {
		start(FLT_CMD_SLOWEST_GET, 1);
		genl_put_u32(&g, FLT_SLOWEST_SESSION, number);
		ask(what, &slowest_shape);
	} else if (!strcmp(what, "machine")) {
		finish(what, machine_print(&g, out));
	} else if (!strcmp(what, "del") && argc == 3) {
		session_del(number);
	} else if (!strcmp(what, "switch") && argc == 3) {
		switch_probes(number);
	} else if (!strcmp(what, "hold")) {
		return hold(argc - 2, argv + 2);
	} else {
		errx(2, USAGE);
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool counts = false, hist = false;
	int i = 2, rc;

	out = stdout;
	if (argc < 2)
		errx(2, USAGE);
	rc = genl_open(&g, FLT_GENL_NAME);
	if (rc == -ENOENT)
		errx(5, "missing module flt (load it with insmod)");
	finish("open", rc);
	for (; argc > i + 1 && !strcmp(argv[1], "follow"); i++) {
		if (!strcmp(argv[i], "-c"))
			counts = true;
		else if (!strcmp(argv[i], "-h"))
			hist = true;
		else
			break;
	}
	if (argc > i + 1 && !strcmp(argv[i], "-o")) {
		out = fopen(argv[i + 1], "we");
		if (!out)
			err(1, "%s", argv[i + 1]);
		i += 2;
	}
	if (argc > i + 1 && !strcmp(argv[i], "--") && !strcmp(argv[1], "follow"))
		rc = follow(argv + i + 1, counts, hist);
	else if (argc > i + 1 && !strcmp(argv[i], "--") && !strcmp(argv[1], "around"))
		rc = around(argv + i + 1);
	else
		rc = run(argc, argv);
	if (fclose(out))
		err(1, "write");
	return rc;
}
