// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * portgrab - try to receive the stream of another user by taking over its netlink port.
 *
 *   portgrab ROUNDS
 *
 * Runs as root. In each round, root opens a session that streams the faults of all processes by
 * netlink, a child causes faults, and root closes its socket without ending the session. Root has
 * asked for the events and has not read the answer.
 * Meanwhile a process of user 65534 tries to bind the port of that socket until it succeeds,
 * and then receives for RECEIVE_MS. Prints one line at the end,
 *
 *   grab rounds=N unread=N binds=N received=N
 *
 * unread: rounds in which an answer with events waited in the socket that was closed; binds: calls
 * of bind(), failed ones included; received: messages that user 65534 got.
 */
#include "errno_name.h"
#include "row.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECEIVE_MS 150
#define NOBODY 65534

struct result {
	uint64_t binds, received;
};

static void write_all(int fd, const void *data, size_t bytes)
{
	if (write(fd, data, bytes) != (ssize_t)bytes)
		err(1, "pipe");
}

static void read_all(int fd, void *data, size_t bytes)
{
	if (read(fd, data, bytes) != (ssize_t)bytes)
		err(1, "pipe");
}

static uint64_t receive(int fd)
{
	struct timeval patience = { .tv_usec = RECEIVE_MS * 1000 };
	char buffer[256];
	uint64_t received = 0;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	/* An overrun is a message, too. */
	while (recv(fd, buffer, sizeof(buffer), MSG_TRUNC) > 0 || errno == ENOBUFS)
		received++;
	return received;
}

/* Take over each port that is read from @ports, and write a result for it. */
static void attack(int ports, int results)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };

	if (setgid(NOBODY) || setuid(NOBODY))
		err(1, "setuid");
	while (read(ports, &addr.nl_pid, sizeof(addr.nl_pid)) == sizeof(addr.nl_pid)) {
		struct result r = { .binds = 1 };
		int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

		if (fd < 0)
			err(1, "socket");
		while (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
			r.binds++;
		r.received = receive(fd);
		close(fd);
		write_all(results, &r, sizeof(r));
	}
	_exit(0);
}

static void cause_faults(void)
{
	size_t bytes = 1 << 20;

	for (;;) {
		char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (memory == MAP_FAILED || madvise(memory, bytes, MADV_DONTNEED))
			err(1, "mmap");
		for (size_t i = 0; i < bytes; i += 4096)
			memory[i] = 1;
		munmap(memory, bytes);
	}
}

static void session_read(const struct nlmsghdr *nlh, void *id)
{
	const struct nlattr *a = genl_find(nlh, FLT_SESSION_ID);

	if (a)
		*(uint32_t *)id = (uint32_t)genl_number(a);
}

/* Open a session. Return its ID. */
static uint32_t stream_all(struct genl *g)
{
	uint32_t id = 0;
	int rc;

	genl_start(g, g->family, NLM_F_REQUEST | NLM_F_ACK, FLT_CMD_SESSION_NEW, FLT_GENL_VERSION);
	genl_put(g, FLT_SESSION_STREAM, NULL, 0);
	genl_put_u32(g, FLT_SESSION_CHANNEL, FLT_CHANNEL_NETLINK);
	rc = genl_talk(g, session_read, &id);
	if (rc)
		errx(1, "session: %s: %s", errno_name(-rc), g->error);
	return id;
}

static void written_read(const struct nlmsghdr *nlh, void *written)
{
	const struct nlattr *a = genl_find(nlh, FLT_SESSION_WRITTEN);

	if (a)
		*(uint64_t *)written = genl_number(a);
}

/* Wait until the session has some faults to send. */
static void wait_for_faults(struct genl *g, uint32_t session)
{
	uint64_t written = 0;
	int rc;

	while (written < 100) {
		usleep(1000);
		genl_start(g, g->family, NLM_F_REQUEST | NLM_F_ACK, FLT_CMD_SESSION_GET,
			   FLT_GENL_VERSION);
		genl_put_u32(g, FLT_SESSION_ID, session);
		rc = genl_talk(g, written_read, &written);
		if (rc)
			errx(1, "session: %s: %s", errno_name(-rc), g->error);
	}
}

/* Ask for the events of a session. Return true if an answer with events waits in the socket. */
static bool ask(struct genl *g, uint32_t session)
{
	const struct nlmsghdr *request = (const void *)g->out;
	char start[NLMSG_HDRLEN];

	genl_start(g, g->family, NLM_F_REQUEST | NLM_F_DUMP, FLT_CMD_EVENTS, FLT_GENL_VERSION);
	genl_put_u32(g, FLT_EVENTS_SESSION, session);
	if (send(g->fd, g->out, request->nlmsg_len, 0) < 0)
		err(1, "send");
	return recv(g->fd, start, sizeof(start), MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC) > 1024;
}

int main(int argc, char **argv)
{
	static struct genl g;
	unsigned long rounds = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct result sum = { 0 }, r;
	unsigned long unread = 0;
	int ports[2], results[2];
	pid_t attacker, victim;

	if (!rounds)
		errx(2, "usage: portgrab ROUNDS");
	if (pipe(ports) || pipe(results))
		err(1, "pipe");
	attacker = fork();
	if (!attacker) {
		close(ports[1]);
		attack(ports[0], results[1]);
	}
	victim = fork();
	if (!victim)
		cause_faults();
	for (unsigned long i = 0; i < rounds; i++) {
		struct sockaddr_nl self;
		socklen_t length = sizeof(self);
		uint32_t session;

		if (genl_open(&g, FLT_GENL_NAME))
			errx(5, "the module flt is not loaded");
		session = stream_all(&g);
		if (getsockname(g.fd, (struct sockaddr *)&self, &length))
			err(1, "getsockname");
		write_all(ports[1], &self.nl_pid, sizeof(self.nl_pid));
		/* Long enough for data to wait in the buffers. */
		usleep(20000 + (i * 7919 % 100) * 1000);
		wait_for_faults(&g, session);
		unread += ask(&g, session);
		genl_close(&g);
		read_all(results[0], &r, sizeof(r));
		sum.binds += r.binds;
		sum.received += r.received;
	}
	kill(victim, SIGKILL);
	close(ports[1]);
	waitpid(victim, NULL, 0);
	waitpid(attacker, NULL, 0);
	printf("grab rounds=%lu unread=%lu binds=%ju received=%ju\n", rounds, unread,
	       (uintmax_t)sum.binds, (uintmax_t)sum.received);
	return 0;
}
