// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/export/export.h"

#define LOOPBACK "127.0.0.1"
#define BACKLOG 64

/* Split "ADDR:PORT", "[ADDR]:PORT" or ":PORT". Return -EINVAL. */
static int split(const char *where, char *address, size_t size, const char **port)
{
	const char *colon = strrchr(where, ':');
	size_t length;

	if (!colon || !colon[1])
		return -EINVAL;
	*port = colon + 1;
	length = (size_t)(colon - where);
	if (length >= 2 && where[0] == '[' && where[length - 1] == ']') {
		where++;
		length -= 2;
	} else if (memchr(where, ':', length)) {
		return -EINVAL;
	}
	if (!length)
		where = LOOPBACK, length = strlen(LOOPBACK);
	if (length >= size)
		return -EINVAL;
	memcpy(address, where, length);
	address[length] = '\0';
	return 0;
}

static bool is_loopback(const struct sockaddr *address)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;

	if (address->sa_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

static int listen_at(const struct addrinfo *at)
{
	int fd, one = 1, err;

	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, BACKLOG))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

/* Parse the address and the port. The caller frees *at. Return -EINVAL. */
static int parse(const char *where, struct addrinfo **at, struct flt_errmsg *e)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM,
	};
	char address[64];
	const char *port;
	unsigned int number;
	char end;

	if (split(where, address, sizeof(address), &port) ||
	    sscanf(port, "%5u%c", &number, &end) != 1 || !number || number > UINT16_MAX ||
	    getaddrinfo(address, port, &hints, at))
		return flt_errmsg_set(e, -EINVAL, "invalid address '%s' (give a numeric address "
				      "and a port, such as 127.0.0.1:9886 or [::1]:9886)", where);
	return 0;
}

int export_listen_check(const char *where, struct flt_errmsg *e)
{
	struct addrinfo *at;
	int ret = parse(where, &at, e);

	if (!ret)
		freeaddrinfo(at);
	return ret;
}

int export_listen(const char *where, bool *loopback, struct flt_errmsg *e)
{
	struct addrinfo *at;
	int ret = parse(where, &at, e);

	if (ret)
		return ret;
	*loopback = is_loopback(at->ai_addr);
	ret = listen_at(at);
	freeaddrinfo(at);
	if (ret < 0)
		flt_errmsg_errno(e, ret, "cannot listen at %s (choose another address or port "
				 "with --listen)", where);
	return ret;
}
