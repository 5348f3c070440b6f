// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * generate - write an artificial recording of any size. The content is always the same.
 *
 *   generate FILE FAULTS STACKS [DEPTH [own | plain | mapped | hostile [PAGE]]]
 *
 * Writes STACKS distinct stacks of DEPTH callers, in three processes of two threads each,
 * with realistic times, addresses and mixes. The code is in this program, which has symbols
 * (own), in a file that does not exist (plain), or in files and processes with hostile names.
 * mapped is plain, with faults in a file instead of the heap. PAGE: bytes of a page of the machine
 * that is said to have recorded; without it, this machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "source/file/file.h"

#define IMAGES 3u
#define BATCH 4096u

static uint64_t state = 88172645463325252ull;
static uint64_t page_size = 4096;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Return the next heap address. Pages are touched in order, with some jumps. */
static uint64_t heap_address(uint64_t *cursor)
{
	if (next() % 8 == 0)
		*cursor = next() % (1u << 18);
	*cursor = (*cursor + 1) % (1u << 18);
	return 0x7f0000000000ull + *cursor * page_size + next() % (page_size / 8) * 8;
}

static const char *const hostile[] = {
	"/tmp/</script><img src=x onerror=alert(1)>", "/tmp/\"'; DROP,\t\033[2J\033]0;owned\007\r\n|<", "/\377\376 ]]>&amp;<!--",
};

/* Write the mappings of one process: 1 MiB of code and a heap. */
static int maps_write(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t number, const char *style, uint64_t code)
{
	struct flt_record_map map = { .head = { .time = time, .image = image } };
	int err;

	if (!strcmp(style, "own"))
		return flt_file_maps_read(w, time, image, (uint32_t)getpid());
	map.start = code;
	map.end = code + (1 << 20);
	map.flags = FLT_MAP_READ | FLT_MAP_EXEC;
	err = flt_file_map(w, &map, strcmp(style, "hostile") ? "/nowhere/program" : hostile[number % 3]);
	if (err)
		return err;
	map.start = 0x7f0000000000ull;
	map.end = map.start + (page_size << 18);
	map.flags = FLT_MAP_READ | FLT_MAP_WRITE | FLT_MAP_LIMITED;
	map.offset = strcmp(style, "mapped") ? 0 : 3 << 16;
	return flt_file_map(w, &map, strcmp(style, "mapped") ? "[heap]" : "/nowhere/data");
}

/* Say that the recording comes from a machine with other pages. The first value of a key counts. */
static void page_size_write(struct flt_file_writer *w, const char *page)
{
	char huge[24];

	page_size = strtoull(page, NULL, 10);
	snprintf(huge, sizeof(huge), "%llu", (unsigned long long)(page_size * page_size / 8));
	flt_file_info(w, "page_size", page);
	flt_file_info(w, "huge_page_size", huge);
}

int main(int argc, char **argv)
{
	const char *style = argc > 5 ? argv[5] : "own";
	struct flt_fault batch[BATCH];
	struct flt_file_writer *w;
	uint64_t faults, i, time = 1000000000ull, cursor = 0, frames[64], code = (uint64_t)(uintptr_t)&main & ~0xfffull;
	uint32_t images[IMAGES], *stacks, count, depth, k, d, which, n = 0;
	struct flt_record_stats stats = { .rss = ~0ull, .unlimited = ~0ull, .limit = 140ull << 20 };
	int err;

	if (argc < 4) {
		fprintf(stderr, "usage: generate FILE FAULTS STACKS [DEPTH [own | plain | mapped | hostile [PAGE]]]\n");
		return 2;
	}
	faults = strtoull(argv[2], NULL, 10);
	count = (uint32_t)strtoul(argv[3], NULL, 10);
	depth = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 16;
	if (!count || depth > 64)
		return 2;
	if (strcmp(style, "own")) {
		code = 0x400000;
	} else {
		/* real events are later than the begin of the file, too */
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		time += (uint64_t)now.tv_sec * 1000000000u;
	}
	err = flt_file_create(&w, argv[1], NULL);
	if (err) {
		fprintf(stderr, "generate: %s: %s\n", argv[1], strerror(-err));
		return 1;
	}
	stacks = calloc(count, sizeof(*stacks));
	if (!stacks)
		return 1;
	if (argc > 6)
		page_size_write(w, argv[6]);
	flt_file_host(w, "generated", argv);
	for (k = 0; k < IMAGES; k++) {
		flt_file_image(w, time, 1000 + k, 1, 0, FLT_IMAGE_FOUND, strcmp(style, "hostile") ? "worker" : hostile[1], &images[k]);
		err = maps_write(w, time, images[k], k, style, code);
	}
	for (k = 0; !err && k < count; k++) {
		/* Many stacks share outer frames; few share inner frames. */
		for (d = 0; d < depth; d++)
			frames[d] = code + 64 + (d < depth / 2 ? next() % 4000 :
						 (d * 64 + k % (1u << (depth - d < 12 ? depth - d : 12))) % 4000);
		err = flt_file_stack(w, images[k % IMAGES], frames, depth, &stacks[k]);
	}
	for (i = 0; !err && i < faults; i++) {
		/* Some stacks fault much more than others. */
		which = (uint32_t)(next() % count);
		if (next() % 4)
			which = which * (uint64_t)which / count;
		/* longer than any latency, because a thread has one fault at a time */
		time += 1000 + next() % 8000;
		batch[n++] = (struct flt_fault){
			.time = time, .address = heap_address(&cursor), .ip = code + 64 + which % 500 * 8, .image = images[which % IMAGES],
			.tid = 1000 + which % IMAGES + (which & 64 ? 100 : 0), .stack = stacks[which], .latency = 200 + (uint32_t)(next() % 800),
			.weight = 1, .pages = 1, .kind = FLT_KIND_UFFD, .cpu = (uint16_t)(next() & 1),
			.flags = FLT_FAULT_OP | (next() & 1 ? FLT_FAULT_WRITE : 0) | (next() % 3 ? FLT_FAULT_REFAULT : FLT_FAULT_ALLOC),
		};
		if (n == BATCH || i + 1 == faults) {
			err = flt_file_faults(w, batch, n);
			n = 0;
		}
		if (i % 200000 == 0) {
			stats.head.time = time;
			stats.faults = i;
			stats.resident = (100 + next() % 40) << 20;
			stats.evicted = (i / 10000) << 20;
			err = err ? err : flt_file_stats(w, &stats);
		}
	}
	free(stacks);
	if (err)
		flt_file_abandon(w);
	else
		err = flt_file_close(w, faults, 0);
	if (err)
		fprintf(stderr, "generate: %s: %s\n", argv[1], strerror(-err));
	return err ? 1 : 0;
}
