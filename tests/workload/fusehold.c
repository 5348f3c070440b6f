// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fusehold T DIR - keep T threads asleep in file faults on FUSE.
 *
 * Needs no capability, only access to /dev/fuse and a user namespace, in which it mounts a
 * file system with one file on DIR. T threads read one page each of a mapping of the file. The
 * server withholds each page, so the threads sleep in their faults. Prints "asleep T" when the
 * server has all T requests. At the end of standard input the server answers ("done").
 *
 * The server is a process of its own, and only the server has /dev/fuse open. So the kernel
 * aborts the requests if the program is killed.
 */
#include "region.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NODE 2
#define FOREVER (1ull << 32)	/* seconds that the kernel may cache names and attributes */

static int fuse;
static size_t threads;
static uint64_t *withheld;	/* IDs of the requests that wait for their page */
static size_t waiting;

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		err(1, "%s", path);
	close(fd);
}

/* Enter a user namespace in which the caller is root. */
static void enter_namespace(void)
{
	unsigned int uid = geteuid(), gid = getegid();
	char map[32];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		err(1, "unshare");
	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	write_file("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	write_file("/proc/self/gid_map", map);
}

static void mount_on(const char *dir)
{
	char options[96];

	fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fuse < 0)
		err(1, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (mount("fusehold", dir, "fuse", MS_NOSUID | MS_NODEV, options))
		err(1, "mount %s", dir);
}

/* Answer a request. @error is 0 or -errno. */
static void answer(uint64_t unique, int error, const void *data, size_t bytes)
{
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + bytes), .error = error, .unique = unique,
	};
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)data, bytes } };

	/* ENOENT: the request was interrupted. */
	if (writev(fuse, parts, 2) < 0 && errno != ENOENT)
		err(1, "write to /dev/fuse");
}

static struct fuse_attr attributes_of(uint64_t node)
{
	return (struct fuse_attr) {
		.ino = node,
		.size = node == FILE_NODE ? threads * PAGE : 0,
		.mode = node == FILE_NODE ? S_IFREG | 0444 : S_IFDIR | 0555,
		.nlink = 1,
		.blksize = PAGE,
	};
}

static void serve_one(const struct fuse_in_header *in, int hold)
{
	static const char page[PAGE_MAX];
	const struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = PAGE,
	};
	const struct fuse_entry_out entry = {
		.nodeid = FILE_NODE, .entry_valid = FOREVER, .attr_valid = FOREVER,
		.attr = attributes_of(FILE_NODE),
	};
	const struct fuse_attr_out attr = {
		.attr_valid = FOREVER, .attr = attributes_of(in->nodeid),
	};
	const struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		answer(in->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		answer(in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		if (hold && waiting < threads)
			withheld[waiting++] = in->unique;
		else
			answer(in->unique, 0, page, PAGE);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		answer(in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(in->unique, -ENOSYS, NULL, 0);
	}
}

/* Serve until the file system is gone. Withhold all pages until the end of @control. */
static void serve(int control)
{
	static const char page[PAGE_MAX];
	_Alignas(8) char request[FUSE_MIN_READ_BUFFER + PAGE_MAX];
	struct pollfd p[] = { { fuse, POLLIN, 0 }, { control, POLLIN, 0 } };
	int told = 0;

	withheld = calloc(threads, sizeof(*withheld));
	if (!withheld)
		err(1, "calloc");
	for (;;) {
		if (poll(p, 2, -1) < 0)
			err(1, "poll");
		if (p[1].revents) {
			p[1].fd = -1;
			while (waiting)
				answer(withheld[--waiting], 0, page, PAGE);
		}
		if (p[0].revents) {
			if (read(fuse, request, sizeof(request)) < 0) {
				/*
				 * The file system is gone. ECONNABORTED: it went away while the
				 * kernel copied a request, such as the last FUSE_RELEASE
				 * (fuse_dev_do_read()).
				 */
				if (errno == ENODEV || errno == ECONNABORTED)
					_exit(0);
				if (errno != EINTR && errno != ENOENT)
					err(1, "read from /dev/fuse");
				continue;
			}
			serve_one((void *)request, p[1].fd >= 0);
		}
		if (waiting == threads && !told) {
			told = 1;
			printf("asleep %zu\n", waiting);
			fflush(stdout);
		}
	}
}

static pid_t start_server(int *control)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[1]);
		serve(ends[0]);
	}
	close(ends[0]);
	close(fuse);
	*control = ends[1];
	return pid;
}

static void *read_page(void *page)
{
	region_read(page, 1, PAGE);
	return NULL;
}

/* Return the mapping of the file, without readahead. */
static char *map_file(const char *dir)
{
	char path[256], *memory;
	int fd;

	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	memory = mmap(NULL, threads * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED || madvise(memory, threads * PAGE, MADV_RANDOM))
		err(1, "mmap %s", path);
	close(fd);
	return memory;
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t *t;
	int control, status;
	pid_t server;
	char *memory, c;

	threads = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	if (!threads)
		errx(2, "usage: fusehold T DIR");
	enter_namespace();
	mount_on(argv[2]);
	server = start_server(&control);
	memory = map_file(argv[2]);
	t = calloc(threads, sizeof(*t));
	if (!t)
		err(1, "calloc");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16 << 10);
	for (size_t i = 0; i < threads; i++)
		if (pthread_create(&t[i], &attr, read_page, memory + i * PAGE))
			errx(1, "cannot create thread %zu of %zu", i, threads);
	while (read(0, &c, 1) > 0)
		;
	close(control);
	for (size_t i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	if (munmap(memory, threads * PAGE) || umount2(argv[2], MNT_DETACH))
		err(1, "umount %s", argv[2]);
	if (waitpid(server, &status, 0) != server || status)
		errx(1, "the server ended with status %#x", status);
	puts("done");
	return 0;
}
