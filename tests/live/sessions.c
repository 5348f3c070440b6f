// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sessions - open and close sessions and trackers.
 *
 *   sessions denied N   request N sessions of different kinds on N / 10 sockets
 *   sessions taken N    N times: open sessions on a new socket until one is refused; close
 *                       half of them one by one, and the others by closing the socket
 *   sessions ended N    N times: dump histograms of a session, and samples of a tracker; end
 *                       the session and the tracker when the first part has arrived
 *
 * Prints one line: "sessions opened=N CODE=N ...", with the number of refusals for each errno.
 * With "ended" these are the errors at the end of the dumps. Fails if a refusal has no message.
 */
#include "errno_name.h"
#include "row.h"

#include <err.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 64
/* The kernel sends a dump in parts of at most this size to a socket that never received more. */
#define PART 4096

static struct genl g;
static uint32_t newest;
static uint64_t samples;
static uint64_t opened, refused[256];

/* Take the ID of a session or tracker, and the samples of a tracker. */
static void take_id(const struct nlmsghdr *nlh, void *unused)
{
	const struct genlmsghdr *head = NLMSG_DATA(nlh);
	const bool session = head->cmd == FLT_CMD_SESSION_NEW;
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	(void)unused;
	genl_for_each(a, first, bytes) {
		if (genl_type(a) == (session ? FLT_SESSION_ID : FLT_WSS_ID))
			newest = (uint32_t)genl_number(a);
		if (!session && genl_type(a) == FLT_WSS_SAMPLES)
			samples = genl_number(a);
	}
}

static void begin(uint8_t cmd)
{
	genl_start(&g, g.family, NLM_F_REQUEST | NLM_F_ACK, cmd, FLT_GENL_VERSION);
}

static int talk(void)
{
	int rc = genl_talk(&g, take_id, NULL);

	if (rc) {
		if (!*g.error)
			errx(1, "%s without a message", errno_name(-rc));
		refused[-rc & 255]++;
	}
	return rc;
}

/* Request a session. The three lowest bits of @form decide what is asked for. */
static int open_session(unsigned long form)
{
	int rc;

	begin(FLT_CMD_SESSION_NEW);
	if (form & 1)
		genl_put_u32(&g, FLT_SESSION_TGID, (uint32_t)getpid());
	if (form & 2) {
		genl_put(&g, FLT_SESSION_STREAM, NULL, 0);
		genl_put_u32(&g, FLT_SESSION_SUBBUF_SIZE, 4096);
		genl_put_u32(&g, FLT_SESSION_SUBBUFS, 2);
		if (form & 4)
			genl_put_u32(&g, FLT_SESSION_CHANNEL, FLT_CHANNEL_NETLINK);
	}
	rc = talk();
	opened += !rc;
	return rc;
}

static void connect_module(void)
{
	int rc = genl_open(&g, FLT_GENL_NAME);

	if (rc)
		errx(5, "cannot connect to the module flt: %s", errno_name(-rc));
}

static void denied(unsigned long requests)
{
	connect_module();
	for (unsigned long i = 0; i < requests; i++) {
		if (i % 10 == 9) {
			genl_close(&g);
			connect_module();
		}
		open_session(i);
	}
	genl_close(&g);
}

static void taken(unsigned long rounds)
{
	uint32_t ids[MANY];

	for (unsigned long i = 0; i < rounds; i++) {
		unsigned long n = 0;

		connect_module();
		while (n < MANY && !open_session(n))
			ids[n++] = newest;
		for (unsigned long k = 0; k < n; k += 2) {
			begin(FLT_CMD_SESSION_DEL);
			genl_put_u32(&g, FLT_SESSION_ID, ids[k]);
			if (talk())
				errx(1, "cannot close session %u: %s", ids[k], g.error);
		}
		genl_close(&g);
	}
}

/* Begin a dump on a socket of its own and receive its first part. */
static void begin_dump(struct genl *d, uint8_t cmd, uint16_t attribute, uint32_t id, uint16_t flag)
{
	const struct nlmsghdr *nlh;
	ssize_t got;

	*d = (struct genl){ .family = g.family };
	d->fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (d->fd < 0)
		err(1, "socket");
	nlh = genl_start(d, d->family, NLM_F_REQUEST | NLM_F_DUMP, cmd, FLT_GENL_VERSION);
	genl_put_u32(d, attribute, id);
	if (flag)
		genl_put(d, flag, NULL, 0);
	if (send(d->fd, d->out, nlh->nlmsg_len, 0) < 0)
		err(1, "send");
	got = recv(d->fd, d->in, PART, 0);
	nlh = (const void *)d->in;
	if (got < (ssize_t)sizeof(*nlh) || nlh->nlmsg_type != d->family)
		errx(1, "a dump begins with a message of type %u", nlh->nlmsg_type);
}

/* Receive the rest of a dump and count the error at its end. */
static void end_dump(struct genl *d)
{
	int rc = genl_receive(d, NULL, NULL);

	refused[-rc & 255]++;
	genl_close(d);
}

/* Let @n processes fault. */
static void fork_processes(int n)
{
	while (n--) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

/* The histograms of 200 processes take more than three parts. */
static void end_histograms(void)
{
	struct genl dump;

	begin(FLT_CMD_SESSION_NEW);
	genl_put_u32(&g, FLT_SESSION_HIST, 1024);
	if (talk())
		errx(1, "cannot open a session: %s", g.error);
	opened++;
	fork_processes(200);
	begin_dump(&dump, FLT_CMD_LATENCY_GET, FLT_LATENCY_SESSION, newest, FLT_LATENCY_PROCS);
	begin(FLT_CMD_SESSION_DEL);
	genl_put_u32(&g, FLT_SESSION_ID, newest);
	if (talk())
		errx(1, "cannot close session %u: %s", newest, g.error);
	end_dump(&dump);
}

static void talk_tracker(uint8_t cmd, uint32_t id)
{
	begin(cmd);
	genl_put_u32(&g, FLT_WSS_ID, id);
	if (genl_talk(&g, take_id, NULL))
		errx(1, "cannot use tracker %u: %s", id, g.error);
}

/* 100 samples take more than three parts. */
static void end_samples(void)
{
	uint64_t interval = 10000000;
	struct genl dump;

	begin(FLT_CMD_WSS_TRACK);
	genl_put_u32(&g, FLT_WSS_TGID, (uint32_t)getpid());
	genl_put(&g, FLT_WSS_INTERVAL, &interval, sizeof(interval));
	if (genl_talk(&g, take_id, NULL))
		errx(1, "cannot track: %s", g.error);
	for (samples = 0; samples < 100; usleep(10000))
		talk_tracker(FLT_CMD_WSS_GET, newest);
	begin_dump(&dump, FLT_CMD_WSS_GET, FLT_WSS_ID, newest, 0);
	talk_tracker(FLT_CMD_WSS_UNTRACK, newest);
	end_dump(&dump);
}

static void ended(unsigned long rounds)
{
	connect_module();
	while (rounds--) {
		end_histograms();
		end_samples();
	}
	genl_close(&g);
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (n && !strcmp(argv[1], "denied"))
		denied(n);
	else if (n && !strcmp(argv[1], "taken"))
		taken(n);
	else if (n && !strcmp(argv[1], "ended"))
		ended(n);
	else
		errx(2, "usage: sessions denied|taken|ended N");
	printf("sessions opened=%ju", (uintmax_t)opened);
	for (int i = 0; i < 256; i++)
		if (refused[i])
			printf(" %s=%ju", errno_name(i), (uintmax_t)refused[i]);
	putchar('\n');
	return 0;
}
