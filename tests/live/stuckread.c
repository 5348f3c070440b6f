// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stuckread - close a session while a reader of its relay file waits for a page of its own.
 *
 *   stuckread BYTES COUNT
 *
 * Opens a session whose CPUs have COUNT sub-buffers of BYTES, which use all of max_buffers. A
 * thread without capabilities reads cpu0 into a page that userfaultfd withholds. Then the socket of the session is
 * closed. A new socket must be served although the reader still waits, and its session must
 * be refused with EDQUOT, because the open file keeps the buffers. After the file is closed,
 * a session must be granted. Prints "stuck served=1 refused=1 granted=1". The process is
 * killed by SIGALRM if a call blocks.
 */
#include "row.h"
#include "../workload/uffd.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ul
#define FAULTS 256
#define PATIENCE_S 60
#define NOBODY 65534

static struct genl g;
static uint32_t session, subbuf_size, subbufs;
static char *withheld;

static void take_session(const struct nlmsghdr *nlh, void *unused)
{
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	(void)unused;
	genl_for_each(a, first, bytes) {
		if (genl_type(a) == FLT_SESSION_ID)
			session = (uint32_t)genl_number(a);
	}
}

/* Open a session on a new socket. Return 0 or -errno. */
static int open_session(void)
{
	if (genl_open(&g, FLT_GENL_NAME))
		errx(5, "missing module flt (load it with insmod)");
	genl_start(&g, g.family, NLM_F_REQUEST | NLM_F_ACK, FLT_CMD_SESSION_NEW, FLT_GENL_VERSION);
	genl_put(&g, FLT_SESSION_STREAM, NULL, 0);
	genl_put_u32(&g, FLT_SESSION_SUBBUF_SIZE, subbuf_size);
	genl_put_u32(&g, FLT_SESSION_SUBBUFS, subbufs);
	return genl_talk(&g, take_session, NULL);
}

static int open_file(void)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/flt/session-%u/cpu0", session);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void cause_faults(void)
{
	char *memory = mmap(NULL, FAULTS * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (memory == MAP_FAILED || sched_setaffinity(0, sizeof(first), &first))
		err(1, "cannot cause faults on CPU 0");
	for (size_t i = 0; i < FAULTS; i++)
		memory[i * PAGE] = 1;
}

static void *read_into_withheld_page(void *file)
{
	/* Unlike setuid(), the system calls change this thread alone. */
	if (syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) ||
	    syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY))
		err(1, "setresuid");
	if (read(*(int *)file, withheld, PAGE) < 0 && errno != EIO)
		err(1, "read");
	return NULL;
}

int main(int argc, char **argv)
{
	int file, uffd, served, refused, granted;
	pthread_t reader;

	if (argc != 3)
		errx(2, "usage: stuckread BYTES COUNT");
	subbuf_size = (uint32_t)strtoul(argv[1], NULL, 10);
	subbufs = (uint32_t)strtoul(argv[2], NULL, 10);
	alarm(PATIENCE_S);
	if (open_session())
		errx(1, "cannot open a session: %s", g.error);
	file = open_file();
	cause_faults();
	withheld = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (withheld == MAP_FAILED)
		err(1, "mmap");
	uffd = uffd_open(withheld, PAGE, UFFD_MISSING);
	if (pthread_create(&reader, NULL, read_into_withheld_page, &file))
		errx(1, "pthread_create");
	if (!uffd_next(uffd, PATIENCE_S * 1000))
		errx(1, "the reader did not touch its page");

	genl_close(&g);
	refused = open_session() == -EDQUOT;
	served = 1;
	genl_close(&g);
	uffd_copy(uffd, (unsigned long)withheld);
	pthread_join(reader, NULL);
	close(file);
	granted = !open_session();
	printf("stuck served=%d refused=%d granted=%d\n", served, refused, granted);
	return 0;
}
