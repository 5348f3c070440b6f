// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * remote.c - pages over a socket: client and server.
 *
 * The server first sends a struct greeting. Then the client sends a struct request, and the
 * server answers with a struct answer. If its `bytes` is not negative, that many bytes of data
 * follow, else it is -errno. Numbers are little-endian.
 */
#include "fltuffd.h"

#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define MAGIC 0x31646666756c7466ull
#define REQUEST_MAX (1u << 20)	/* bytes */

struct greeting {
	uint64_t magic, size;
};

struct request {
	uint64_t offset, bytes;
};

struct answer {
	int64_t bytes;
};

struct remote {
	int fd;
	int error;		/* first error of the connection; all later reads fail with it */
	pthread_mutex_t lock;	/* one request at a time */
};

static int send_all(int fd, const void *data, size_t n)
{
	while (n) {
		ssize_t put = send(fd, data, n, MSG_NOSIGNAL);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		data = (const char *)data + put;
		n -= (size_t)put;
	}
	return 0;
}

/* Return 0, -ECONNRESET if the peer closed the connection, or another -errno. */
static int receive_all(int fd, void *data, size_t n)
{
	while (n) {
		ssize_t got = recv(fd, data, n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		if (!got)
			return -ECONNRESET;
		data = (char *)data + got;
		n -= (size_t)got;
	}
	return 0;
}

static int remote_read(void *context, uint64_t offset, void *data, size_t n)
{
	struct remote *r = context;
	struct request q;
	struct answer a;
	int ret = 0;

	pthread_mutex_lock(&r->lock);
	while (n && !ret && !r->error) {
		size_t some = n < REQUEST_MAX ? n : REQUEST_MAX;

		q = (struct request){ htole64(offset), htole64(some) };
		r->error = send_all(r->fd, &q, sizeof(q));
		if (!r->error)
			r->error = receive_all(r->fd, &a, sizeof(a));
		if (r->error)
			break;
		a.bytes = (int64_t)le64toh((uint64_t)a.bytes);
		if (a.bytes < 0) {
			ret = a.bytes >= -4095 ? (int)a.bytes : -EPROTO;
			break;
		}
		if ((uint64_t)a.bytes != some)
			r->error = -EPROTO;
		else
			r->error = receive_all(r->fd, data, some);
		data = (char *)data + some;
		offset += some;
		n -= some;
	}
	if (r->error)
		ret = r->error;
	pthread_mutex_unlock(&r->lock);
	return ret;
}

static void remote_close(void *context)
{
	struct remote *r = context;

	close(r->fd);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* Return the errno of connect() or listen(), or 0. */
static int attach(int fd, const struct sockaddr *a, socklen_t n, bool listening)
{
	if (listening ? bind(fd, a, n) || listen(fd, 16) : connect(fd, a, n))
		return errno;
	return 0;
}

static int open_unix(const char *path, bool listening)
{
	struct sockaddr_un u = { .sun_family = AF_UNIX };
	int fd, err;

	if (strlen(path) >= sizeof(u.sun_path))
		return -ENAMETOOLONG;
	strcpy(u.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = attach(fd, (struct sockaddr *)&u, sizeof(u), listening);
	if (err)
		close(fd);
	return err ? -err : fd;
}

static int open_tcp(const struct addrinfo *a, bool listening)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), err, one = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	err = attach(fd, a->ai_addr, a->ai_addrlen, listening);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (err)
		close(fd);
	return err ? -err : fd;
}

/* Open a socket, listening or connected, for "unix:PATH" or "tcp:HOST:PORT". */
static int open_socket(const char *address, bool listening)
{
	struct addrinfo hint = {
		.ai_socktype = SOCK_STREAM, .ai_flags = listening ? AI_PASSIVE : 0,
	};
	struct addrinfo *all, *i;
	char host[256];
	const char *port;
	int fd = -EINVAL;
	size_t n;

	if (!strncmp(address, "unix:", 5))
		return open_unix(address + 5, listening);
	port = strrchr(address, ':');
	if (strncmp(address, "tcp:", 4) || port < address + 4)
		return -EINVAL;
	n = (size_t)(port - address - 4);
	if (n >= sizeof(host))
		return -EINVAL;
	memcpy(host, address + 4, n);
	host[n] = 0;
	if (getaddrinfo(*host ? host : NULL, port + 1, &hint, &all))
		return -EHOSTUNREACH;
	for (i = all; i && fd < 0; i = i->ai_next)
		fd = open_tcp(i, listening);
	freeaddrinfo(all);
	return fd;
}

int fltuffd_listen(const char *address)
{
	return open_socket(address, true);
}

int fltuffd_backing_remote(struct fltuffd_backing *b, const char *address, unsigned int timeout_ms,
			   uint64_t *size)
{
	struct timeval t;
	struct greeting g;
	struct remote *r;
	int fd, ret;

	if (!timeout_ms)
		timeout_ms = 5000;
	t = (struct timeval){ timeout_ms / 1000, timeout_ms % 1000 * 1000 };
	fd = open_socket(address, false);
	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
	ret = receive_all(fd, &g, sizeof(g));
	if (!ret && le64toh(g.magic) != MAGIC)
		ret = -EPROTO;
	r = ret ? NULL : malloc(sizeof(*r));
	if (!r) {
		close(fd);
		return ret ? ret : -ENOMEM;
	}
	*r = (struct remote){ .fd = fd };
	pthread_mutex_init(&r->lock, NULL);
	if (size)
		*size = le64toh(g.size);
	*b = (struct fltuffd_backing){ .read = remote_read, .close = remote_close, .context = r };
	return 0;
}

/* Answer one request from the file. Return 0 or the -errno of the connection. */
static int answer(int connection, const struct fltuffd_backing *b, struct request q, char *buffer)
{
	struct answer a;
	int64_t bytes;
	int ret;

	q.offset = le64toh(q.offset);
	q.bytes = le64toh(q.bytes);
	bytes = -EINVAL;
	if (q.bytes <= REQUEST_MAX && q.offset <= INT64_MAX - REQUEST_MAX)
		bytes = b->read(b->context, q.offset, buffer, q.bytes);
	if (!bytes)
		bytes = (int64_t)q.bytes;
	a.bytes = (int64_t)htole64((uint64_t)bytes);
	ret = send_all(connection, &a, sizeof(a));
	return !ret && bytes > 0 ? send_all(connection, buffer, (size_t)bytes) : ret;
}

int fltuffd_serve_pages(int connection, int file)
{
	struct greeting g = { .magic = htole64(MAGIC) };
	struct fltuffd_backing b;
	struct request q;
	struct stat st;
	char *buffer;
	int ret;

	if (fstat(file, &st))
		return -errno;
	ret = fltuffd_backing_file(&b, file, 0, false);
	if (ret)
		return ret;
	buffer = malloc(REQUEST_MAX);
	g.size = htole64((uint64_t)st.st_size);
	ret = buffer ? send_all(connection, &g, sizeof(g)) : -ENOMEM;
	while (!ret) {
		ret = receive_all(connection, &q, sizeof(q));
		if (!ret)
			ret = answer(connection, &b, q, buffer);
		else if (ret == -ECONNRESET)
			break;
	}
	free(buffer);
	b.close(b.context);
	return ret == -ECONNRESET ? 0 : ret;
}
