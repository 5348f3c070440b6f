// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nofile - cause faults in code that is in no file: the vdso, and code generated at run time.
 * Some of this code is listed in /tmp/perf-PID.map, like the code of JIT compilers, and some in
 * jit-PID.dump in the current directory. Each kind faults at PAGES fresh pages. Prints the PID
 * and the address of the code that is not listed.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lines.h"

static char *fresh_pages(void)
{
	char *at = mmap(NULL, PAGES * 4096ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	madvise(at, PAGES * 4096ul, MADV_NOHUGEPAGE);
	return at;
}

/* Generate a function that stores to *argument, at `offset` of a new page. */
static void (*made(size_t offset))(char *)
{
	static const unsigned char store[] = { 0xc6, 0x07, 0x05, 0xc3 };	/* movb $5, (%rdi); ret */
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	memcpy(at + offset, store, sizeof(store));
	return (void (*)(char *))(at + offset);
}

static void (*volatile told)(char *), (*volatile untold)(char *), (*volatile dumped)(char *);

/*
 * Write jit-PID.dump: 64 bytes of code at `code`, whose first byte is of line 76, and whose
 * fourth byte and those after it are of line 77 of made.js.
 */
static void dump(uint64_t code)
{
	struct { uint32_t magic, version, size, machine, unused, pid; uint64_t time, flags; } head = {
		0x4a695444, 1, sizeof(head), 62, 0, (uint32_t)getpid(), 0, 0 };
	struct { uint32_t type, size; uint64_t time, address, count; } debug = { 2, 0, 0, code, 2 };
	struct { uint64_t address; uint32_t line, discriminator; } line[] = {
		{ code, 76, 0 }, { code + 4, 77, 0 } };
	struct { uint32_t type, size; uint64_t time; uint32_t pid, tid;
		 uint64_t vma, address, size_of_code, index; } load = {
		0, 0, 0, (uint32_t)getpid(), (uint32_t)getpid(), code, code, 64, 1 };
	static const char name[] = "dumped at run time", file[] = "made.js", same[] = "\xff";
	char path[64];
	FILE *out;
	int fd;

	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	out = fopen(path, "w");
	if (!out)
		exit(1);
	debug.size = sizeof(debug) + sizeof(line) + sizeof(file) + sizeof(same);
	load.size = sizeof(load) + sizeof(name) + 64;
	fwrite(&head, sizeof(head), 1, out);
	fwrite(&debug, sizeof(debug), 1, out);
	fwrite(&line[0], sizeof(line[0]), 1, out);
	fwrite(file, sizeof(file), 1, out);
	fwrite(&line[1], sizeof(line[1]), 1, out);
	fwrite(same, sizeof(same), 1, out);
	fwrite(&load, sizeof(load), 1, out);
	fwrite(name, sizeof(name), 1, out);
	fwrite((void *)(uintptr_t)code, 64, 1, out);
	if (fclose(out))
		exit(1);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	/* A profiler learns the path from this mapping. */
	if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(1);
	close(fd);
}

int main(void)
{
	char *pages, path[64];
	FILE *map;
	int i;

	told = made(0x40);
	untold = made(0x80);
	dumped = made(0xc4);	/* behind 4 bytes of its function */
	dump((uint64_t)(uintptr_t)dumped - 4);
	pages = fresh_pages();
	for (i = 0; i < PAGES; i++)
		dumped(pages + i * 4096);
	pages = fresh_pages();
	for (i = 0; i < PAGES; i++)
		told(pages + i * 4096);
	pages = fresh_pages();
	for (i = 0; i < PAGES; i++)
		untold(pages + i * 4096);
	pages = fresh_pages();
	for (i = 0; i < PAGES; i++)
		getcpu((unsigned int *)(pages + i * 4096), NULL);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx 4 made at run time\n", (unsigned long)told);
	fclose(map);
	printf("%d %lx\n", (int)getpid(), (unsigned long)untold);
	return 0;
}
