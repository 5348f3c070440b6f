// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * insider.c - disturb a recording as a process of the command, which knows the token.
 *
 *	insider HOW		`leave` after a HELLO, `stay` silent after a HELLO, or claim to be a
 *				`fork`. Print the answer.
 *	fuzz COUNT SEED		send COUNT messages with any content, in each state of a connection.
 *				Print how many, and in which states.
 */
#include <errno.h>
#include <flt_ring.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/recorder/stranger.h"

#define LENGTH 24	/* most messages of a connection */
#define PASSED 4	/* most descriptors of a message */

static char address[108];
static char token[FLT_REC_TOKEN];
static uint64_t chance;

static bool find(void)
{
	const char *variable = getenv("FLT_RECORD_SOCKET");

	return variable && sscanf(variable, "%99[^:]:%39[^:]", address, token) == 2;
}

/* Send a HELLO. image: 0, or the id of the image that the process claims to be forked from. */
static bool greet(int fd, uint64_t image, uint64_t seq)
{
	struct flt_rec_message m = { .type = FLT_REC_HELLO, .version = FLT_RING_VERSION,
				     .image = image, .fork_seq = seq };

	memcpy(m.token, token, sizeof(m.token));
	return send(fd, &m, sizeof(m), MSG_NOSIGNAL) == sizeof(m);
}

int insider_break(const char *how)
{
	struct flt_rec_message m;
	int fd = find() ? stranger_join(address) : -1;

	if (fd < 0 || !greet(fd, strcmp(how, "fork") ? 0 : 12345, 0))
		return 1;
	if (recv(fd, &m, sizeof(m), 0) == sizeof(m))
		printf("answered %u\n", m.type);
	else
		printf("hung up\n");
	fflush(stdout);
	if (!strcmp(how, "stay")) {
		fclose(stdout);
		/* Until fltctl hangs up. */
		while (recv(fd, &m, sizeof(m), 0) > 0)
			;
	}
	return 0;
}

/* Return a number below n (xorshift64). */
static uint64_t below(uint64_t n)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return (chance >> 11) % n;
}

static void fill(void *to, size_t bytes)
{
	unsigned char *p = to;

	while (bytes--)
		*p++ = (unsigned char)below(256);
}

/*
 * Make a message with any content. Most have what it takes to be examined: length, version, and
 * token. own: id of an image that exists. Return the length.
 */
static size_t make(struct flt_rec_message m[2], uint64_t own)
{
	fill(m, 2 * sizeof(*m));
	m->type = below(8) ? (uint32_t)below(10) : m->type;
	m->version = below(16) ? FLT_RING_VERSION : m->version;
	if (below(8))
		memcpy(m->token, token, sizeof(m->token));
	m->image = below(4) ? below(2) * own : m->image;
	m->fork_seq = below(4) ? below(3) : m->fork_seq;
	m->pid = below(4) ? (int32_t)below(2) * getpid() : m->pid;
	return below(16) ? sizeof(*m) : below(2 * sizeof(*m));
}

/* Send a message, some with descriptors. Return false if fltctl has hung up. */
static bool post(int fd, void *m, size_t length, size_t passed)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(PASSED * sizeof(int))];
	} c = { 0 };
	struct iovec v = { m, length };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1 };

	if (passed) {
		h.msg_control = &c;
		h.msg_controllen = CMSG_SPACE(passed * sizeof(int));
		c.h.cmsg_level = SOL_SOCKET;
		c.h.cmsg_type = SCM_RIGHTS;
		c.h.cmsg_len = CMSG_LEN(passed * sizeof(int));
		for (size_t i = 0; i < passed; i++)
			memcpy(CMSG_DATA(&c.h) + i * sizeof(int), &fd, sizeof(int));
	}
	return sendmsg(fd, &h, MSG_NOSIGNAL) >= 0;
}

/* Wait until fltctl has read what was sent. Return false if it has hung up. */
static bool heard(int fd)
{
	struct pollfd p = { .fd = fd };
	int left = 0;

	while (!ioctl(fd, SIOCOUTQ, &left) && left)
		if (poll(&p, 1, 1) > 0)
			return false;
	return true;
}

/* Reach the state RUNNING. Set the id of the image. Return a connection or -1. */
static int run(uint64_t *id, bool ready)
{
	struct flt_rec_message m;
	int fd = stranger_join(address);

	if (fd < 0 || !greet(fd, 0, 0) || recv(fd, &m, sizeof(m), 0) != sizeof(m))
		return -1;
	*id = m.image;
	fill(&m, sizeof(m));
	m.type = FLT_REC_READY;
	m.version = FLT_RING_VERSION;
	return !ready || (post(fd, &m, sizeof(m), 0) && heard(fd)) ? fd : -1;
}

enum state { FRESH, STARTING, WAITING, RUNNING, STATES };
static const char *const names[STATES] = { "fresh", "starting", "waiting", "running" };

/* Shared with the processes that fltctl kills. */
struct counts {
	long sent[STATES];
};

/*
 * Send messages on one connection, until fltctl hangs up or kills this process. In the state
 * WAITING, this process also pretends to be the server of the parent.
 */
static void fuzz(enum state state, struct counts *counts)
{
	struct flt_rec_message m[2];
	uint64_t id = 0;
	int fd, parent = -1;

	if (state == FRESH) {
		fd = stranger_join(address);
	} else if (state == WAITING) {
		parent = run(&id, true);
		fd = parent < 0 ? -1 : stranger_join(address);
		if (fd >= 0 && (!greet(fd, id, 1) || !heard(fd)))
			fd = -1;
	} else {
		fd = run(&id, state == RUNNING);
	}
	for (int i = 0; fd >= 0 && i < LENGTH; i++) {
		size_t length = make(m, id);

		if (parent >= 0 && !below(8)) {
			m->type = FLT_REC_RELEASED;
			m->fork_seq = 1;
			if (!post(parent, m, sizeof(*m), below(3)) || !heard(parent))
				break;
		}
		counts->sent[state]++;
		if (!post(fd, m, length, below(8) ? 0 : 1 + below(PASSED)) || !heard(fd))
			break;
	}
}

int insider_fuzz(long count, unsigned long seed)
{
	struct counts *counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long sum = 0, before = -1;
	pid_t pid;

	if (counts == MAP_FAILED || !find())
		return 1;
	for (unsigned long i = 0; sum < count; i++) {
		/* A round of all states without a message: fltctl does not answer any more. */
		if (i % STATES == 0 && sum == before)
			return 1;
		before = i % STATES ? before : sum;
		pid = fork();
		if (pid < 0)
			return 1;
		if (!pid) {
			chance = (seed + i) * 0x9e3779b97f4a7c15ull | 1;
			fuzz(i % STATES, counts);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		sum = 0;
		for (int s = 0; s < STATES; s++)
			sum += counts->sent[s];
	}
	printf("%ld", sum);
	for (int s = 0; s < STATES; s++)
		printf(" %s %ld", names[s], counts->sent[s]);
	putchar('\n');
	return 0;
}
