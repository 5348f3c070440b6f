// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fltstream - read and check the stream of a session for tests, without code of fltctl.
 *
 *   fltstream [-n] [-a] [-b BYTES] [-B COUNT] -- COMMAND...
 *
 * Run COMMAND in a session that follows children. Each CPU has COUNT (2) sub-buffers of BYTES
 * (4096). Read without a pause while COMMAND runs, so that reader and writer often meet at the
 * end of a sub-buffer. The head of each sub-buffer must continue the counts of the previous one.
 * -n: read over netlink. -a: do not read until COMMAND has ended. Print one line at the end:
 *
 *   stream read=N written=N lost=N produced=N heads=N horizons=N
 *
 * read: faults read; written, lost: counters of the session; produced: faults in the accounts
 * of the session; heads: sub-buffers; horizons: different horizons received.
 * Exit with status 1 and a message if the stream is inconsistent, for example if a fault that
 * ended before a horizon arrives after it (see enum flt_events_attr).
 */
#include "errno_name.h"
#include "row.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/flt_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPUS 64
#define SLOTS 1024

static struct genl g;
static bool by_netlink;
static uint32_t session;
static unsigned int horizons;
static uint64_t horizon;	/* faults that arrive from now on do not end before */
static uint64_t written, lost, produced;

static struct cpu {
	int fd;
	uint64_t heads, faults, lost;
	uint32_t note_slots;	/* slots of the current note that have not arrived yet */
} cpu[CPUS];

/* Return the number of ended faults in an account, without those that the probe missed. */
static uint64_t ended_of(const struct nlattr *nest)
{
	struct account acc = { .kinds = 0 };

	account_read(&acc, nest);
	return acc.value[FLT_ACCOUNT_MINOR] + acc.value[FLT_ACCOUNT_MAJOR] +
	       acc.value[FLT_ACCOUNT_FAILED] - acc.value[FLT_ACCOUNT_MISSED];
}

static void reply(const struct nlmsghdr *nlh, void *unused)
{
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	(void)unused;
	genl_for_each(a, first, bytes) {
		if (genl_type(a) == FLT_SESSION_ID)
			session = (uint32_t)genl_number(a);
		else if (genl_type(a) == FLT_SESSION_WRITTEN)
			written = genl_number(a);
		else if (genl_type(a) == FLT_SESSION_LOST)
			lost = genl_number(a);
		else if (genl_type(a) == FLT_SESSION_ACCOUNT)
			produced = ended_of(a);
	}
}

static void talk(void)
{
	int rc = genl_talk(&g, reply, NULL);

	if (rc)
		errx(1, "session: %s: %s", errno_name(-rc), g.error);
}

static void session_open(pid_t pid, uint32_t bytes, uint32_t count)
{
	genl_start(&g, g.family, NLM_F_REQUEST | NLM_F_ACK, FLT_CMD_SESSION_NEW,
		   FLT_GENL_VERSION);
	genl_put_u32(&g, FLT_SESSION_TGID, (uint32_t)pid);
	genl_put(&g, FLT_SESSION_FOLLOW, NULL, 0);
	genl_put(&g, FLT_SESSION_STREAM, NULL, 0);
	genl_put(&g, FLT_SESSION_NOTES, NULL, 0);
	genl_put_u32(&g, FLT_SESSION_SUBBUF_SIZE, bytes);
	genl_put_u32(&g, FLT_SESSION_SUBBUFS, count);
	if (by_netlink)
		genl_put_u32(&g, FLT_SESSION_CHANNEL, FLT_CHANNEL_NETLINK);
	talk();
}

static void session_read(void)
{
	genl_start(&g, g.family, NLM_F_REQUEST | NLM_F_ACK, FLT_CMD_SESSION_GET, FLT_GENL_VERSION);
	genl_put_u32(&g, FLT_SESSION_ID, session);
	talk();
}

static void take_head(struct cpu *c, uint32_t number, const struct flt_subbuf *head)
{
	if (head->magic != FLT_SUBBUF_MAGIC || head->cpu != number)
		errx(1, "cpu %u: invalid head of a sub-buffer", number);
	if (head->sequence != c->heads)
		errx(1, "cpu %u: got sub-buffer %ju, expected %ju", number,
		     (uintmax_t)head->sequence, (uintmax_t)c->heads);
	if (head->written != c->faults || head->lost_full < c->lost)
		errx(1, "cpu %u: sub-buffer %ju: read %ju faults of %ju, lost %ju after %ju",
		     number, (uintmax_t)head->sequence, (uintmax_t)c->faults,
		     (uintmax_t)head->written, (uintmax_t)head->lost_full, (uintmax_t)c->lost);
	c->heads++;
	c->lost = head->lost_full;
}

static void take_fault(struct cpu *c, uint32_t number, const struct flt_event_record *r)
{
	uint64_t latency = r->latency;

	if (r->flags & FLT_EVENT_LONG)
		latency <<= 10;
	if (r->time + latency < horizon)
		errx(1, "cpu %u: a fault that ended at %ju arrived after the horizon %ju", number,
		     (uintmax_t)(r->time + latency), (uintmax_t)horizon);
	c->faults++;
}

static void take_slots(uint32_t number, const struct flt_event_record *slot, size_t count)
{
	struct cpu *c = &cpu[number];

	for (size_t i = 0; i < count; i++) {
		const struct flt_event_record *r = &slot[i];

		if (c->note_slots)
			c->note_slots--;
		else if (!r->type)
			take_head(c, number, (const void *)r);
		else if (!c->heads)
			errx(1, "cpu %u: missing head at the beginning", number);
		else if (r->type == FLT_EVENT_FAULT)
			take_fault(c, number, r);
		else
			c->note_slots = r->weight;	/* notes have `more` at this offset */
	}
}

static void files_open(void)
{
	char path[96];

	for (int i = 0; i < CPUS; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/flt/session-%u/cpu%d", session, i);
		cpu[i].fd = open(path, O_RDONLY | O_CLOEXEC);
		if (cpu[i].fd < 0 && errno != ENOENT)
			err(1, "%s", path);
	}
}

static void files_read(void)
{
	static struct flt_event_record slot[SLOTS];
	ssize_t n;

	for (uint32_t i = 0; i < CPUS; i++) {
		while (cpu[i].fd >= 0 && (n = read(cpu[i].fd, slot, sizeof(slot)))) {
			if (n < 0)
				err(1, "cpu %u", i);
			if ((size_t)n % sizeof(slot[0]))
				errx(1, "cpu %u: invalid length %zd (expected whole slots)", i, n);
			take_slots(i, slot, (size_t)n / sizeof(slot[0]));
		}
	}
}

static void take_message(const struct nlmsghdr *nlh, void *next_horizon)
{
	static struct flt_event_record slot[SLOTS];
	size_t bytes, size = 0;
	const struct nlattr *first = genl_attrs(nlh, &bytes);
	uint32_t number = CPUS;

	genl_for_each(a, first, bytes) {
		if (genl_type(a) == FLT_EVENTS_HORIZON) {
			*(uint64_t *)next_horizon = genl_number(a);
			return;
		}
		if (genl_type(a) == FLT_EVENTS_CPU)
			number = (uint32_t)genl_number(a);
		if (genl_type(a) == FLT_EVENTS_SLOTS)
			size = genl_len(a);
		if (genl_type(a) == FLT_EVENTS_SLOTS && size <= sizeof(slot))
			memcpy(slot, genl_data(a), size);
	}
	if (number >= CPUS || !size || size > sizeof(slot) || size % sizeof(slot[0]))
		errx(1, "cpu %u: invalid length %zu (expected whole slots)", number, size);
	take_slots(number, slot, size / sizeof(slot[0]));
}

/* Ask for the horizon. Over netlink, the answer has the events, too. */
static uint64_t events_read(void)
{
	uint64_t next = 0;
	int rc;

	genl_start(&g, g.family, NLM_F_REQUEST | NLM_F_DUMP, FLT_CMD_EVENTS, FLT_GENL_VERSION);
	genl_put_u32(&g, FLT_EVENTS_SESSION, session);
	rc = genl_talk(&g, take_message, &next);
	if (rc)
		errx(1, "events: %s: %s", errno_name(-rc), g.error);
	return next;
}

static void stream_read(void)
{
	uint64_t next = events_read();

	if (!by_netlink)
		files_read();
	if (next < horizon)
		errx(1, "horizon %ju arrived after %ju", (uintmax_t)next, (uintmax_t)horizon);
	horizons += next > horizon;
	horizon = next;
}

static uint64_t faults_read(void)
{
	uint64_t faults = 0;

	for (int i = 0; i < CPUS; i++)
		faults += cpu[i].faults;
	return faults;
}

/* Return the exit status of a child, or -1 if it has not ended. */
static int exit_status(pid_t pid)
{
	int status;
	pid_t got = waitpid(pid, &status, WNOHANG);

	if (got < 0)
		err(1, "wait");
	if (!got)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Fork a child that waits at the gate. When start() returns, its faults of fork() have ended. */
static pid_t start(char **argv, int *gate)
{
	int ends[2], ready[2];
	pid_t pid;
	char go = 0;

	if (pipe2(ends, O_CLOEXEC) || pipe2(ready, O_CLOEXEC))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		close(ends[1]);
		/*
		 * The second round uses the same calls, so that the child touches no new
		 * page between the first round and exec.
		 */
		do {
			if (write(ready[1], &go, 1) != 1 || read(ends[0], &go, 1) != 1)
				_exit(1);
		} while (go != 'g');
		execvp(*argv, argv);
		err(127, "%s", *argv);
	}
	close(ends[0]);
	*gate = ends[1];
	if (read(ready[0], &go, 1) != 1 || write(*gate, "r", 1) != 1 ||
	    read(ready[0], &go, 1) != 1)
		err(1, "pipe");
	return pid;
}

int main(int argc, char **argv)
{
	uint32_t bytes = 4096, count = 2;
	bool read_late = false;
	uint64_t heads = 0, before;
	int opt, gate, status;
	pid_t pid;

	while ((opt = getopt(argc, argv, "+nab:B:")) != -1) {
		if (opt == 'n')
			by_netlink = true;
		else if (opt == 'b')
			bytes = (uint32_t)strtoul(optarg, NULL, 10);
		else if (opt == 'B')
			count = (uint32_t)strtoul(optarg, NULL, 10);
		else if (opt == 'a')
			read_late = true;
		else
			errx(2, "usage: fltstream [-n] [-a] [-b BYTES] [-B COUNT] -- COMMAND...");
	}
	if (optind == argc)
		errx(2, "missing command (put it after '--')");
	if (genl_open(&g, FLT_GENL_NAME))
		errx(5, "missing module flt (load it with insmod)");
	pid = start(argv + optind, &gate);
	session_open(pid, bytes, count);
	if (!by_netlink)
		files_open();
	session_read();
	before = produced;
	if (write(gate, "g", 1) != 1)
		err(1, "pipe");
	while ((status = exit_status(pid)) < 0) {
		if (read_late)
			usleep(10000);
		else
			stream_read();
	}
	session_read();
	/* All faults that are counted as written can be read. */
	stream_read();
	for (int i = 0; i < CPUS; i++)
		heads += cpu[i].heads;
	printf("stream read=%ju written=%ju lost=%ju produced=%ju heads=%ju "
	       "horizons=%u\n",
	       (uintmax_t)faults_read(), (uintmax_t)written, (uintmax_t)lost,
	       (uintmax_t)(produced - before), (uintmax_t)heads, horizons);
	return status;
}
