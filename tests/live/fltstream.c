// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fltstream - a session's stream, read without a pause and judged: the tests' own reader.
 *
 *   fltstream [-n] [-a] [-b BYTES] [-B COUNT] -- COMMAND...
 *
 * Runs COMMAND in a following session whose CPUs have COUNT (2) sub-buffers of BYTES
 * (4096), and reads while it runs as fast as it can: so reader and writer meet at the
 * ends of sub-buffers all the time. Every head must count on from the one before it.
 * -n has it by netlink, on a socket of the default size; -a looks away until COMMAND has
 * ended. Prints one line at the end,
 *
 *   stream read=N written=N lost=N produced=N heads=N overruns=N horizons=N
 *
 * read by us, written and lost by the session's count, produced by its accounts;
 * overruns of the socket; horizons told, to each of which what came later was held.
 * Status 1, and a sentence, if the bytes do not hold together.
 */
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
/* Faults of one CPU are in order, give or take: see enum flt_events_attr. */
#define ORDER_NS 2000

static struct genl g, channel;	/* channel: -n */
static bool by_netlink;
static uint32_t session;
static unsigned int overruns, horizons;
static uint64_t written, lost, produced;

static struct cpu {
	int fd;
	uint64_t heads, faults, lost;
	uint64_t last;		/* end of its last fault */
	uint64_t promised;	/* no fault ends before this that did not come */
	uint32_t rest;		/* slots of a note that are still to come */
	bool heard;		/* since the last horizon */
	bool by_last;		/* the promise is its last fault, not a horizon */
} cpu[CPUS];

/* Faults that the probe saw the end of. */
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

static void talk(struct genl *with)
{
	int rc = genl_talk(with, reply, NULL);

	if (rc)
		errx(1, "session: %s: %s", strerrorname_np(-rc), with->error);
}

static void session_open(pid_t pid, uint32_t bytes, uint32_t count)
{
	struct genl *with = by_netlink ? &channel : &g;

	genl_start(with, g.family, NLM_F_REQUEST | NLM_F_ACK, FLT_CMD_SESSION_NEW,
		   FLT_GENL_VERSION);
	genl_put_u32(with, FLT_SESSION_TGID, (uint32_t)pid);
	genl_put(with, FLT_SESSION_FOLLOW, NULL, 0);
	genl_put(with, FLT_SESSION_STREAM, NULL, 0);
	genl_put(with, FLT_SESSION_NOTES, NULL, 0);
	genl_put_u32(with, FLT_SESSION_SUBBUF_SIZE, bytes);
	genl_put_u32(with, FLT_SESSION_SUBBUFS, count);
	if (by_netlink)
		genl_put_u32(with, FLT_SESSION_CHANNEL, FLT_CHANNEL_NETLINK);
	talk(with);
}

static void session_read(void)
{
	genl_start(&g, g.family, NLM_F_REQUEST | NLM_F_ACK, FLT_CMD_SESSION_GET, FLT_GENL_VERSION);
	genl_put_u32(&g, FLT_SESSION_ID, session);
	talk(&g);
}

static void take_head(struct cpu *c, uint32_t number, const struct flt_subbuf *head)
{
	if (head->magic != FLT_SUBBUF_MAGIC || head->cpu != number)
		errx(1, "cpu %u: no head where one should be", number);
	if (head->sequence != c->heads)
		errx(1, "cpu %u: sub-buffer %ju comes after %ju", number, (uintmax_t)head->sequence,
		     (uintmax_t)c->heads - 1);
	if (head->written != c->faults || head->lost_full < c->lost)
		errx(1, "cpu %u: sub-buffer %ju: %ju faults were written, %ju came", number,
		     (uintmax_t)head->sequence, (uintmax_t)head->written, (uintmax_t)c->faults);
	c->heads++;
	c->lost = head->lost_full;
}

static void take_fault(struct cpu *c, uint32_t number, const struct flt_event_record *r)
{
	uint64_t latency = r->latency;

	if (r->flags & FLT_EVENT_LONG)
		latency <<= 10;
	if (r->time + latency + ORDER_NS < c->promised)
		errx(1, "cpu %u: a fault ended at %ju, and came after a %s %ju", number,
		     (uintmax_t)(r->time + latency),
		     c->by_last ? "fault that ended at" : "horizon of", (uintmax_t)c->promised);
	c->last = r->time + latency;
	c->faults++;
}

static void horizon_take(uint64_t told)
{
	for (int i = 0; i < CPUS; i++) {
		cpu[i].by_last = cpu[i].heard;
		cpu[i].promised = cpu[i].heard ? cpu[i].last : told;
		cpu[i].heard = false;
	}
	horizons++;
}

static void take(uint32_t number, const struct flt_event_record *slot, size_t count)
{
	struct cpu *c = &cpu[number];

	c->heard = true;
	for (size_t i = 0; i < count; i++) {
		const struct flt_event_record *r = &slot[i];

		if (c->rest)
			c->rest--;
		else if (!r->type)
			take_head(c, number, (const void *)r);
		else if (!c->heads)
			errx(1, "cpu %u: no head at the beginning", number);
		else if (r->type == FLT_EVENT_FAULT)
			take_fault(c, number, r);
		else
			c->rest = r->weight;	/* where notes have their "more" */
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
				errx(1, "cpu %u: %zd bytes are no slots", i, n);
			take(i, slot, (size_t)n / sizeof(slot[0]));
		}
	}
}

static void event_take(const struct nlmsghdr *nlh)
{
	static struct flt_event_record slot[SLOTS];
	size_t bytes, size = 0;
	const struct nlattr *first = genl_attrs(nlh, &bytes);
	uint32_t number = CPUS;
	uint64_t told = 0;

	genl_for_each(a, first, bytes) {
		if (genl_type(a) == FLT_EVENTS_HORIZON)
			told = genl_number(a);
		if (genl_type(a) == FLT_EVENTS_CPU)
			number = (uint32_t)genl_number(a);
		if (genl_type(a) == FLT_EVENTS_SLOTS)
			size = genl_len(a);
		if (genl_type(a) == FLT_EVENTS_SLOTS && size <= sizeof(slot))
			memcpy(slot, genl_data(a), size);
	}
	if (told) {
		horizon_take(told);
		return;
	}
	if (number >= CPUS || !size || size > sizeof(slot) || size % sizeof(slot[0]))
		errx(1, "cpu %u: %zu bytes are no slots", number, size);
	take(number, slot, size / sizeof(slot[0]));
}

static void events_read(void)
{
	int rc;

	while ((rc = genl_events(&channel)) == -ENOBUFS)
		overruns++;
	if (rc)
		errx(1, "events: %s", strerrorname_np(-rc));
}

static void stream_read(void)
{
	if (by_netlink)
		events_read();
	else
		files_read();
}

static uint64_t faults_read(void)
{
	uint64_t faults = 0;

	for (int i = 0; i < CPUS; i++)
		faults += cpu[i].faults;
	return faults;
}

/* All that was written; by netlink it comes as there is room. */
static void stream_drain(void)
{
	for (int i = 0; i < 3000; i++) {
		stream_read();
		if (!by_netlink || faults_read() >= written)
			return;
		usleep(10000);
	}
	errx(1, "of %ju faults written only %ju came", (uintmax_t)written, (uintmax_t)faults_read());
}

/* Its status once it has ended, -1 before. */
static int ended(pid_t pid)
{
	int status;
	pid_t got = waitpid(pid, &status, WNOHANG);

	if (got < 0)
		err(1, "wait");
	if (!got)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Returns when the child waits at the gate, with the faults of fork() behind it. */
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
		/* The second word is asked for by the same call: nothing new is touched. */
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
	bool away = false;
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
			away = true;
		else
			errx(2, "usage: fltstream [-n] [-a] [-b BYTES] [-B COUNT] -- COMMAND...");
	}
	if (optind == argc)
		errx(2, "no command");
	if (genl_open(&g, FLT_GENL_NAME) || genl_open(&channel, FLT_GENL_NAME))
		errx(5, "the module flt is not loaded");
	channel.event = event_take;
	pid = start(argv + optind, &gate);
	session_open(pid, bytes, count);
	if (!by_netlink)
		files_open();
	session_read();
	before = produced;
	if (write(gate, "g", 1) != 1)
		err(1, "pipe");
	while ((status = ended(pid)) < 0) {
		if (away)
			usleep(10000);
		else
			stream_read();
	}
	session_read();
	stream_drain();
	for (int i = 0; i < CPUS; i++)
		heads += cpu[i].heads;
	printf("stream read=%ju written=%ju lost=%ju produced=%ju heads=%ju overruns=%u "
	       "horizons=%u\n",
	       (uintmax_t)faults_read(), (uintmax_t)written, (uintmax_t)lost,
	       (uintmax_t)(produced - before), (uintmax_t)heads, overruns, horizons);
	return status;
}
