// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lazy_file.c - map a file into memory and read only the pages that are accessed.
 *
 * usage: lazy_file MIB DIRECTORY
 *
 * Writes a file of that size. Loads it lazily from disk, from a page server in another process
 * over a Unix socket, and over TCP, while four threads read it at random. Compares every word.
 * Then kills the server and checks that readers get an error and never zeros. Exits 0 on
 * success.
 */
#include <fltuffd.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define READS 20000

static uint64_t word_at(uint64_t i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15u;
	return (i ^ i >> 31) | 1;	/* never 0 */
}

struct reader {
	pthread_t thread;
	const uint64_t *words;
	size_t count;
	uint64_t seed;
	size_t wrong;
};

static void *read_at_random(void *arg)
{
	struct reader *r = arg;
	uint64_t x = r->seed;

	for (int i = 0; i < READS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		r->wrong += r->words[x % r->count] != word_at(x % r->count);
	}
	return NULL;
}

static size_t compare(struct fltuffd *p, const char *what)
{
	struct reader r[THREADS];
	struct fltuffd_stats s;
	size_t wrong = 0;
	uint64_t sum = 0;
	int i;

	for (i = 0; i < THREADS; i++) {
		r[i] = (struct reader){ .words = fltuffd_memory(p), .count = fltuffd_bytes(p) / 8,
					.seed = (uint64_t)i * 7919 + 1 };
		pthread_create(&r[i].thread, NULL, read_at_random, &r[i]);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(r[i].thread, NULL);
		wrong += r[i].wrong;
	}
	fltuffd_stats(p, &s);
	for (i = 0; i < FLTUFFD_BUCKETS && sum * 2 < s.faults; i++)
		sum += s.latency[i];
	printf("%-6s %zu wrong of %d; %" PRIu64 " faults, mean %" PRIu64 " ns, half below %llu ns; "
	       "%" PRIu64 " evicted\n", what, wrong, THREADS * READS, s.faults,
	       s.faults ? s.latency_ns / s.faults : 0, 1ull << i, s.evicted);
	return wrong;
}

/* Start a server process. It serves one connection after the other until it is killed. */
static pid_t start_server(const char *address, int file)
{
	int fd = fltuffd_listen(address), conn;
	pid_t pid;

	if (fd < 0) {
		fprintf(stderr, "lazy_file: %s: %s\n", address, strerror(-fd));
		exit(1);
	}
	pid = fork();
	if (pid) {
		close(fd);
		return pid;
	}
	while ((conn = accept(fd, NULL, NULL)) >= 0) {
		fltuffd_serve_pages(conn, file);
		close(conn);
	}
	_exit(1);
}

static sigjmp_buf out;

static void bus(int sig)
{
	siglongjmp(out, sig);
}

static int first_error;

static void on_error(void *context, uint64_t offset, int err)
{
	(void)context;
	(void)offset;
	if (!first_error)
		first_error = err;
}

/* Kill the server. Accesses to missing pages must raise a signal, and loads must fail. */
static int check_death(struct fltuffd *p, pid_t server)
{
	volatile size_t signals = 0, wrong = 0;
	const uint64_t *words = fltuffd_memory(p);
	struct sigaction sa = { .sa_handler = bus }, old_bus, old_segv;
	volatile size_t i;
	int ret;

	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	sigaction(SIGBUS, &sa, &old_bus);
	sigaction(SIGSEGV, &sa, &old_segv);
	for (i = 0; i < fltuffd_bytes(p) / 8; i += 512 * 97) {
		if (sigsetjmp(out, 1))
			signals++;
		else
			wrong += words[i] != word_at(i);
	}
	sigaction(SIGBUS, &old_bus, NULL);
	sigaction(SIGSEGV, &old_segv, NULL);
	ret = fltuffd_load(p, 0, fltuffd_bytes(p));
	printf("server killed: %zu of %zu reads raised a signal, %zu wrong; load: %s; "
	       "on_error: %s\n", signals, fltuffd_bytes(p) / 8 / (512 * 97) + 1, wrong,
	       strerror(-ret), strerror(-first_error));
	return wrong || !signals || !ret || !first_error || !fltuffd_error(p);
}

static struct fltuffd *open_pager(struct fltuffd_backing b, size_t bytes, size_t limit)
{
	struct fltuffd_config c = { .bytes = bytes, .limit = limit, .prefetch = 3, .threads = 2,
				    .backing = b, .on_error = on_error };
	struct fltuffd *p;
	int ret = fltuffd_open(&p, &c);

	if (ret) {
		fprintf(stderr, "lazy_file: cannot open a pager: %s\n", strerror(-ret));
		exit(1);
	}
	return p;
}

static struct fltuffd *open_remote(const char *address, size_t bytes, size_t limit)
{
	struct fltuffd_backing b;
	uint64_t size = 0;
	int ret = fltuffd_backing_remote(&b, address, 2000, &size);

	if (ret || size != bytes) {
		fprintf(stderr, "lazy_file: %s: %s\n", address, strerror(-ret));
		exit(1);
	}
	return open_pager(b, bytes, limit);
}

static bool write_file(int fd, size_t bytes)
{
	uint64_t line[512];

	for (size_t at = 0; at < bytes; at += sizeof(line)) {
		for (size_t i = 0; i < 512; i++)
			line[i] = word_at(at / 8 + i);
		if (write(fd, line, sizeof(line)) != sizeof(line))
			return false;
	}
	return true;
}

static size_t check_disk(int fd, size_t bytes)
{
	struct fltuffd_backing b;
	struct fltuffd *p;
	size_t bad;

	fltuffd_backing_file(&b, fd, 0, false);
	p = open_pager(b, bytes, bytes / 4);
	bad = compare(p, "disk");
	fltuffd_close(p);
	return bad;
}

/* Compare over a socket. kill_it: kill the server while the pager is open. */
static size_t check_server(const char *name, const char *address, int fd, size_t bytes,
			   size_t limit, bool kill_it)
{
	pid_t server = start_server(address, fd);
	struct fltuffd *p = open_remote(address, bytes, limit);
	size_t bad = compare(p, name);

	if (kill_it)
		bad += (size_t)check_death(p, server);
	fltuffd_close(p);
	if (!kill_it) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	return bad;
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 2 ? (size_t)atol(argv[1]) << 20 : 0, bad;
	char path[4096], unix_address[4096], tcp_address[64];
	int fd;

	if (!bytes) {
		fprintf(stderr, "usage: lazy_file MIB DIRECTORY\n");
		return 2;
	}
	setlinebuf(stdout);
	snprintf(path, sizeof(path), "%s/data", argv[2]);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (!write_file(fd, bytes)) {
		perror("lazy_file");
		return 1;
	}
	snprintf(tcp_address, sizeof(tcp_address), "tcp:127.0.0.1:%d", 20000 + getpid() % 20000);
	snprintf(unix_address, sizeof(unix_address), "unix:%s/socket", argv[2]);
	unlink(unix_address + 5);
	bad = check_disk(fd, bytes);
	bad += check_server("tcp", tcp_address, fd, bytes, 0, false);
	bad += check_server("unix", unix_address, fd, bytes, bytes / 4, true);
	close(fd);
	return bad ? 1 : 0;
}
