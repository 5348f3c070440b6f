// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * remote.c - pages over a socket.
 *
 * The server greets with struct greeting. Then the client sends a struct request
 * and the server answers with a struct answer, followed by `bytes` of data if that
 * is not negative (then it is -errno). Numbers are little-endian.
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
#define MOST (1u << 20)		/* bytes of one request */

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
	int error;		/* of the connection; final */
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

/* -ECONNRESET: the other end is gone, before the first byte or later. */
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
		size_t some = n < MOST ? n : MOST;

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

/* A socket, bound and listening or connected, for "unix:PATH" or "tcp:HOST:PORT". */
static int open_socket(const char *address, bool listening)
{
	struct addrinfo hint = { .ai_socktype = SOCK_STREAM, .ai_flags = listening ? AI_PASSIVE : 0 };
	struct sockaddr_un u = { .sun_family = AF_UNIX };
	struct addrinfo *all, *i;
	char host[256];
	const char *port;
	int fd = -1, err = EINVAL, one = 1;

	if (!strncmp(address, "unix:", 5)) {
		if (strlen(address + 5) >= sizeof(u.sun_path))
			return -ENAMETOOLONG;
		strcpy(u.sun_path, address + 5);
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			return -errno;
		if (listening ? bind(fd, (struct sockaddr *)&u, sizeof(u)) || listen(fd, 16) :
				connect(fd, (struct sockaddr *)&u, sizeof(u))) {
			err = errno;
			close(fd);
			return -err;
		}
		return fd;
	}
	port = strrchr(address, ':');
	if (strncmp(address, "tcp:", 4) || port < address + 4 ||
	    (size_t)(port - address - 4) >= sizeof(host))
		return -EINVAL;
	memcpy(host, address + 4, (size_t)(port - address - 4));
	host[port - address - 4] = 0;
	if (getaddrinfo(*host ? host : NULL, port + 1, &hint, &all))
		return -EHOSTUNREACH;
	for (i = all; i; i = i->ai_next) {
		fd = socket(i->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0) {
			err = errno;
			continue;
		}
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (listening ? !bind(fd, i->ai_addr, i->ai_addrlen) && !listen(fd, 16) :
				!connect(fd, i->ai_addr, i->ai_addrlen)) {
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			break;
		}
		err = errno;
		close(fd);
		fd = -1;
	}
	freeaddrinfo(all);
	return fd < 0 ? -err : fd;
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

int fltuffd_serve_pages(int connection, int file)
{
	struct greeting g = { .magic = htole64(MAGIC) };
	struct fltuffd_backing b;
	struct request q;
	struct answer a;
	struct stat st;
	char *buffer;
	int ret;

	if (fstat(file, &st))
		return -errno;
	ret = fltuffd_backing_file(&b, file, 0, false);
	if (ret)
		return ret;
	buffer = malloc(MOST);
	g.size = htole64((uint64_t)st.st_size);
	ret = buffer ? send_all(connection, &g, sizeof(g)) : -ENOMEM;
	while (!ret) {
		ret = receive_all(connection, &q, sizeof(q));
		if (ret == -ECONNRESET) {
			ret = 0;
			break;
		}
		if (ret)
			break;
		q.offset = le64toh(q.offset);
		q.bytes = le64toh(q.bytes);
		a.bytes = q.bytes > MOST || q.offset > INT64_MAX - MOST ? -EINVAL :
			b.read(b.context, q.offset, buffer, q.bytes);
		if (!a.bytes)
			a.bytes = (int64_t)q.bytes;
		q.bytes = a.bytes > 0 ? (uint64_t)a.bytes : 0;
		a.bytes = (int64_t)htole64((uint64_t)a.bytes);
		ret = send_all(connection, &a, sizeof(a));
		if (!ret && q.bytes)
			ret = send_all(connection, buffer, q.bytes);
	}
	free(buffer);
	b.close(b.context);
	return ret;
}
