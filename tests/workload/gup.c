// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gup MODE N - take N faults in the memory of a child, charged to this process.
 *
 *   readv    process_vm_readv() from N fresh pages
 *   writev   process_vm_writev() to N fresh pages
 *   poke     PTRACE_POKEDATA to N fresh pages
 *   procmem  write to N fresh pages through /proc/PID/mem
 */
#include "region.h"
#include "section.h"

#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;
static char *target; /* pages at the same address in both processes, touched in neither */
static size_t n;

/*
 * Each mode accesses page n once before its section, so that its own code is mapped. The
 * kernel does not map neighbouring pages of a file that was just written.
 */
static void vm_copy_page(int writing, size_t i)
{
	static char buf[PAGE_MAX] = { 1 };
	struct iovec local = { buf, 8 }, remote = { target + i * PAGE, 8 };
	ssize_t got = writing ? process_vm_writev(child, &local, 1, &remote, 1, 0) :
				process_vm_readv(child, &local, 1, &remote, 1, 0);

	if (got != 8)
		err(1, "process_vm");
}

static void vm_copy(int writing)
{
	vm_copy_page(writing, n);
	section_begin();
	for (size_t i = 0; i < n; i++)
		vm_copy_page(writing, i);
	section_end(writing ? "writev" : "readv", (long)n, 0, (long)n);
}

static void poke(void)
{
	if (ptrace(PTRACE_SEIZE, child, 0, 0) || ptrace(PTRACE_INTERRUPT, child, 0, 0) ||
	    waitpid(child, NULL, 0) != child)
		err(1, "ptrace");
	if (ptrace(PTRACE_POKEDATA, child, target + n * PAGE, 1L))
		err(1, "PTRACE_POKEDATA");
	section_begin();
	for (size_t i = 0; i < n; i++)
		if (ptrace(PTRACE_POKEDATA, child, target + i * PAGE, 1L))
			err(1, "PTRACE_POKEDATA");
	section_end("poke", (long)n, 0, (long)n);
}

static void procmem(void)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)child);
	fd = open(name, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", name);
	if (pwrite(fd, "x", 1, (off_t)(target + n * PAGE)) != 1)
		err(1, "%s", name);
	section_begin();
	for (size_t i = 0; i < n; i++)
		if (pwrite(fd, "x", 1, (off_t)(target + i * PAGE)) != 1)
			err(1, "%s", name);
	section_end("procmem", (long)n, 0, (long)n);
}

int main(int argc, char **argv)
{
	const char *mode = argc == 3 ? argv[1] : "";

	n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	if (!n)
		errx(2, "usage: gup readv|writev|poke|procmem N");
	target = region_anon((n + 1) * PAGE);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (child == 0)
		for (;;)
			pause();
	if (!strcmp(mode, "readv"))
		vm_copy(0);
	else if (!strcmp(mode, "writev"))
		vm_copy(1);
	else if (!strcmp(mode, "poke"))
		poke();
	else if (!strcmp(mode, "procmem"))
		procmem();
	else
		errx(2, "invalid mode '%s' (expected readv, writev, poke or procmem)", mode);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}
