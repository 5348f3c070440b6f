// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stranger.c - connect to the sockets of all recorders and disturb them.
 *
 *	stranger squat			connect, say nothing, sleep
 *	stranger hello COUNT		send forged messages of all types, well-formed
 *	stranger random COUNT		send random bytes of random lengths
 *	stranger insider HOW		with the token: see insider.c
 *	stranger fuzz COUNT SEED	with the token: see insider.c
 *
 * Print the number of messages that were sent.
 */
#include <errno.h>
#include <flt_ring.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/recorder/stranger.h"

static char name[16][108];
static int names;

static void find(void)
{
	char line[512], *at;
	FILE *f = fopen("/proc/net/unix", "r");

	while (f && names < 16 && fgets(line, sizeof(line), f)) {
		at = strstr(line, "@flt-");
		/* listening sockets only */
		if (!at || !strstr(line, " 00010000 "))
			continue;
		at[strcspn(at, "\n")] = 0;
		strncpy(name[names++], at + 1, sizeof(name[0]) - 1);
	}
	if (f)
		fclose(f);
}

int stranger_join(const char *to)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	memcpy(a.sun_path + 1, to, strlen(to));
	if (connect(fd, (struct sockaddr *)&a,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(to)))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Send a message that the caller makes anew each time. Return the number that was sent. */
static long send_all(long count, size_t (*make)(void *m))
{
	char m[2 * sizeof(struct flt_rec_message)];
	long sent = 0;
	int fd = -1;

	for (long i = 0; sent < count && i < 20 * count; i++) {
		if (fd < 0)
			fd = stranger_join(name[i % names]);
		if (fd < 0)
			continue;
		if (send(fd, m, make(m), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
			if (errno == EPIPE || errno == ECONNRESET) {
				close(fd);
				fd = -1;
			}
			continue;
		}
		sent++;
	}
	return sent;
}

static size_t make_random(void *m)
{
	unsigned short n;

	if (getrandom(&n, sizeof(n), 0) < 0 || getrandom(m, 2 * sizeof(struct flt_rec_message), 0) < 0)
		exit(1);
	return n % (2 * sizeof(struct flt_rec_message));
}

static size_t make_hello(void *to)
{
	struct flt_rec_message *m = to;
	static unsigned int n;

	make_random(m);
	m->version = FLT_RING_VERSION;
	m->type = n++ % 9;
	m->pid = (int)(n % 3 ? getpid() : 1);
	m->image = n % 5 ? 0 : n;
	if (n % 7)
		memset(m->token, '0', sizeof(m->token) - 1);
	return sizeof(*m);
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[2]) : 0;

	if (argc > 2 && !strcmp(argv[1], "insider"))
		return insider_break(argv[2]);
	if (argc > 3 && !strcmp(argv[1], "fuzz"))
		return insider_fuzz(count, strtoul(argv[3], NULL, 0));
	find();
	if (!names)
		return 1;
	if (argc > 1 && !strcmp(argv[1], "squat")) {
		int joined = 0;

		for (int i = 0; i < names; i++)
			joined += stranger_join(name[i]) >= 0;
		printf("%d\n", joined);
		fflush(stdout);
		sleep(1000);
	} else if (argc > 2) {
		printf("%ld\n", send_all(count, strcmp(argv[1], "hello") ? make_random : make_hello));
	}
	return 0;
}
