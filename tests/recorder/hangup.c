// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hangup.c - a recorder that hangs up on forked children, as fltctl does if it does not know their
 * parent.
 *
 * `hangup LIBRARY COMMAND...` records COMMAND with 8 MiB of memory, drains its ring, and closes the
 * connection of each forked child after HELLO. Print the number of children that were let go, and
 * return the exit status of COMMAND.
 */
#include "source/ring/wire.h"

#include <errno.h>
#include <flt_ring.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT (8ull << 20)
#define MOST  (256ull << 20)

static struct flt_ring_head *ring;
static int server = -1;		/* connection of the image, later of its server */
static int hung_up;

static int open_listener(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	char name[32], address[64];

	snprintf(name, sizeof(name), "hangup-%d", (int)getpid());
	snprintf(address, sizeof(address), "%s:0:0", name);
	setenv("FLT_RECORD_SOCKET", address, 1);
	memcpy(a.sun_path + 1, name, strlen(name));
	if (fd < 0 ||
	    bind(fd, (struct sockaddr *)&a,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) ||
	    listen(fd, 16))
		exit(2);
	return fd;
}

static void configure(int conn)
{
	const unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
	struct flt_rec_message m = {
		.type = FLT_REC_CONFIG, .version = FLT_RING_VERSION, .image = 1,
		.config = { .limit_pages = LIMIT / page, .max_pages = MOST / page,
			    .max_stack = 128, .room = FLT_REC_LEAST },
	};
	int memfd;

	if (flt_ring_make(&ring, &memfd) || flt_ring_send(conn, &m, &memfd, 1))
		exit(2);
	close(memfd);
	server = conn;
}

/* Answer a first message. */
static void greet(int listener)
{
	struct flt_rec_message m;
	int conn = accept4(listener, NULL, NULL, SOCK_CLOEXEC), fd;
	struct pollfd p = { conn, POLLIN, 0 };
	pid_t sender;

	if (conn < 0)
		return;
	poll(&p, 1, -1);
	if (flt_ring_receive(conn, &m, &fd, &sender) == 1 && m.type == FLT_REC_HELLO && !m.image &&
	    !ring) {
		configure(conn);
		return;
	}
	hung_up += m.type == FLT_REC_HELLO && m.image;
	close(conn);
}

static void hear(void)
{
	struct flt_rec_message m;
	pid_t sender;
	int fd;

	if (flt_ring_receive(server, &m, &fd, &sender) == 1 && m.type != FLT_REC_BYE)
		return;
	close(server);
	server = -1;
}

int main(int argc, char **argv)
{
	int listener = open_listener(), status = 0;
	pid_t pid;

	if (argc < 3)
		return 2;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (!pid) {
		setenv("LD_PRELOAD", argv[1], 1);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	while (server >= 0 || !ring) {
		struct pollfd p[] = { { listener, POLLIN, 0 }, { server, POLLIN, 0 } };

		poll(p, 2, 1);
		if (p[0].revents)
			greet(listener);
		if (p[1].revents)
			hear();
		if (ring)
			__atomic_store_n(&ring->tail, __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE),
					 __ATOMIC_RELEASE);
		else if (waitpid(pid, &status, WNOHANG) == pid)
			return 2;
	}
	waitpid(pid, &status, 0);
	printf("hung up on %d, let go %d\n", hung_up, (int)ring->totals.forks_unlimited);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
