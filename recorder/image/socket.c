// SPDX-License-Identifier: GPL-2.0-or-later
/* socket.c - packets on the socket of fltctl. */
#include "socket.h"

#include "lib/core/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

extern char **environ;

#define VARIABLE "FLT_RECORD_SOCKET="

static char name[sizeof(((struct sockaddr_un *)0)->sun_path)];
static char token[FLT_REC_TOKEN];
static unsigned int filters;
static uint64_t home;	/* network namespace of the last connection; 0: unknown */

/* Copy up to the next colon. Return the text after it. */
static const char *copy_part(char *to, size_t room, const char *text)
{
	size_t n = strcspn(text, ":");

	memcpy(to, text, n < room ? n : room - 1);
	return text[n] ? text + n + 1 : text + n;
}

/* Read the variable at the first call, because the program may clear its environment later. */
static const char *socket_name(void)
{
	const char *text;

	for (char **e = environ; e && *e && !*name; e++) {
		if (strncmp(*e, VARIABLE, sizeof(VARIABLE) - 1))
			continue;
		text = copy_part(name, sizeof(name), *e + sizeof(VARIABLE) - 1);
		text = copy_part(token, sizeof(token), text);
		while (*text >= '0' && *text <= '9')
			filters = filters * 10 + (unsigned int)(*text++ - '0');
	}
	return *name ? name : NULL;
}

unsigned int rec_socket_filters(void)
{
	return socket_name() ? filters : 0;
}

/* Return the number of the network namespace; 0: unknown. An abstract name belongs to one. */
static uint64_t network(void)
{
	struct stat st;

	return sys4(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/net", &st, 0) ? 0 : st.st_ino;
}

bool rec_socket_is_elsewhere(void)
{
	uint64_t here = home ? network() : 0;

	return here && here != home;
}

int rec_socket_connect(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t n = socket_name() ? strlen(name) : 0;
	long fd, ret;

	if (!n || n >= sizeof(a.sun_path) - 1)
		return -ENOENT;
	memcpy(a.sun_path + 1, name, n);	/* abstract: a leading NUL */
	fd = sys3(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return (int)fd;
	ret = sys3(SYS_connect, fd, &a, offsetof(struct sockaddr_un, sun_path) + 1 + n);
	if (ret < 0) {
		sys1(SYS_close, fd);
		return (int)ret;
	}
	home = network();
	return (int)fd;
}

int rec_socket_send(int fd, const struct flt_rec_message *m, int pass)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} c = { 0 };
	struct flt_rec_message copy = *m;
	struct iovec v = { &copy, sizeof(copy) };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1 };
	long ret;

	copy.version = FLT_RING_VERSION;
	memcpy(copy.token, token, sizeof(token));
	if (pass >= 0) {
		h.msg_control = &c;
		h.msg_controllen = sizeof(c);
		c.h.cmsg_level = SOL_SOCKET;
		c.h.cmsg_type = SCM_RIGHTS;
		c.h.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&c.h), &pass, sizeof(pass));
	}
	do {
		ret = sys3(SYS_sendmsg, fd, &h, MSG_NOSIGNAL);
	} while (ret == -EINTR);
	return ret < 0 ? (int)ret : 0;
}

int rec_socket_receive(int fd, struct flt_rec_message *m, int pass[2], bool wait)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} c;
	struct iovec v = { m, sizeof(*m) };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1,
			    .msg_control = &c, .msg_controllen = sizeof(c) };
	long ret;

	pass[0] = pass[1] = -1;
	do {
		ret = sys3(SYS_recvmsg, fd, &h, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
	} while (ret == -EINTR);
	if (ret == -EAGAIN)
		return 0;
	if (ret < 0)
		return (int)ret;
	if (!ret)
		return -EPIPE;
	if (h.msg_controllen >= sizeof(struct cmsghdr) && c.h.cmsg_type == SCM_RIGHTS)
		memcpy(pass, CMSG_DATA(&c.h),
		       c.h.cmsg_len >= CMSG_LEN(2 * sizeof(int)) ? 2 * sizeof(int) : sizeof(int));
	if (ret != (long)sizeof(*m) || m->version != FLT_RING_VERSION)
		return -EPROTO;
	return 1;
}

void rec_socket_refuse(int fd, int pid, const char *why)
{
	struct flt_rec_message m = { .type = FLT_REC_REFUSED, .pid = pid };

	strncpy(m.text, why, sizeof(m.text) - 1);
	rec_socket_send(fd, &m, -1);
}
