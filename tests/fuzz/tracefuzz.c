// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefuzz - read hostile trace files and build models and views from them.
 *
 * Input: 'R' and a complete file; or any other byte and a list of chunks {type, flags, size
 * low, size high, payload}. The program adds headers with valid checksums to these chunks,
 * because the reader rejects others early.
 *
 * With libFuzzer this is a fuzz target. Without, it runs the files in its arguments (the
 * corpus, as a test). With -s it converts a trace file to a seed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "model/recording/recording.h"
#include "model/code/sites.h"
#include "model/recording/strings.h"
#include "model/code/symbols.h"
#include "model/code/tree.h"
#include "picture/heatmap.h"
#include "source/file/file.h"
#include "timeline/regions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void header_write(int fd)
{
	struct flt_file_header head = {
		.magic = FLT_FILE_MAGIC, .version = FLT_FILE_VERSION, .schema = FLT_SCHEMA_VERSION,
	};

	head.checksum = XXH3_64bits(&head, offsetof(struct flt_file_header, checksum));
	if (write(fd, &head, sizeof(head)) != sizeof(head))
		abort();
}

static size_t chunk_write(int fd, const uint8_t *data, size_t size, uint64_t sequence)
{
	struct flt_chunk head = {
		.magic = FLT_CHUNK_MAGIC, .type = data[0], .flags = data[1], .sequence = sequence,
	};
	size_t length = (size_t)(data[2] | data[3] << 8), element;
	static const char zeros[8];
	uint32_t step;
	size_t at;

	if (length > size - 4)
		length = size - 4;
	element = flt_chunk_element(head.type);
	if (element)
		length -= length % element;
	head.length = head.size = (uint32_t)length;
	head.count = element ? (uint32_t)(length / element) : 0;
	/* Count the valid records. */
	for (at = 0; !element && length - at >= sizeof(struct flt_record);
	     at += step, head.count++) {
		memcpy(&step, &data[4 + at + offsetof(struct flt_record, size)], sizeof(step));
		if (step < sizeof(struct flt_record) || step > length - at)
			break;
	}
	head.body = XXH3_64bits(data + 4, length);
	head.checksum = XXH3_64bits(&head, offsetof(struct flt_chunk, checksum));
	if (write(fd, &head, sizeof(head)) != sizeof(head) ||
	    write(fd, data + 4, length) != (ssize_t)length ||
	    write(fd, zeros, -length & 7) != (ssize_t)(-length & 7))
		abort();
	return 4 + length;
}

struct state {
	struct flt_recording *rec;
	struct flt_group stacks;
	struct flt_regions *regions;
};

/* Make the regions with the page size of the recording, which may be anything. */
static void regions_need(struct state *s)
{
	if (!s->regions && flt_regions_new(&s->regions, flt_recording_page_size(s->rec), 0))
		abort();
}

static int faults_take(struct state *s, const struct flt_fault *f, size_t n)
{
	struct flt_group_key key;
	size_t i;
	int err = 0;

	regions_need(s);
	for (i = 0; i < n && !err; i++) {
		err = flt_sites_key(FLT_BY_STACK, s->rec, &f[i], &key);
		if (!err)
			err = flt_group_add(&s->stacks, &key, &f[i]);
		if (!err)
			err = flt_timeline_region_fault(s->regions, s->rec, &f[i]);
	}
	return err;
}

static void render(struct state *s)
{
	struct flt_symbols_setup setup = { .no_symbols = true };
	struct flt_tree_setup shape = { .processes = true };
	struct flt_strings *strings = flt_strings_new(1 << 20);
	struct flt_symbols *symbols;
	struct flt_sites sites;
	struct flt_tree tree;
	const struct flt_heatmap_setup bands = {
		.bands = 4, .least = 1, .others = true, .cells_max = 1000,
	};
	struct flt_heatmap heatmap;

	if (flt_symbols_new(&symbols, s->rec, &setup))
		abort();
	if (!flt_tree_build(&tree, &shape, s->rec, symbols, strings, &s->stacks))
		flt_tree_sort(&tree, true);
	flt_tree_free(&tree);
	if (!flt_sites_build(&sites, FLT_BY_LINE, s->rec, symbols, &s->stacks))
		flt_sites_free(&sites);
	flt_heatmap_make(&heatmap, s->regions, &bands);
	flt_heatmap_free(&heatmap);
	flt_symbols_free(symbols);
	flt_strings_free(strings);
}

static void file_run(const char *path)
{
	struct flt_file_reader *reader;
	const struct flt_record *r;
	struct flt_file_chunk c;
	struct state s = { 0 };
	uint32_t version;
	int err, ret;

	if (flt_file_open(&reader, path, &version))
		return;
	if (flt_recording_new(&s.rec))
		abort();
	for (err = 0; !err && (ret = flt_file_next(reader, &c));) {
		if (ret == -EBADMSG)
			continue;
		if (ret < 0)
			break;
		if (c.head.type == FLT_CHUNK_FAULTS)
			err = faults_take(&s, c.faults, c.head.count);
		else if (c.head.type == FLT_CHUNK_STACKS)
			err = flt_recording_nodes(s.rec, c.nodes, c.head.count);
		else
			for (r = NULL; !err && (r = flt_file_record(&c, r));)
				err = flt_recording_record(s.rec, r);
	}
	regions_need(&s);
	if (!err && !flt_recording_settle(s.rec))
		render(&s);
	flt_group_free(&s.stacks);
	flt_regions_free(s.regions);
	flt_recording_free(s.rec);
	flt_file_done(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t sequence = 0;
	char path[64];
	int fd;

	if (!size)
		return 0;
	fd = memfd_create("trace", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	if (data[0] == 'R') {
		if (write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
			abort();
	} else {
		size_t at = 1;

		header_write(fd);
		while (size - at >= 4)
			at += chunk_write(fd, data + at, size - at, sequence++);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file_run(path);
	close(fd);
	return 0;
}

#ifndef FLT_LIBFUZZER
/* Write the decoded chunks of a trace file to standard output as a seed. */
static int seed_write(const char *path)
{
	struct flt_file_reader *reader;
	struct flt_file_chunk c;
	uint32_t version;
	struct flt_file_fault fault;
	size_t size, step, i;
	uint8_t head[4];

	if (flt_file_open(&reader, path, &version))
		return 1;
	putchar('C');
	while (flt_file_next(reader, &c) == 1) {
		size = c.head.size < 1024 ? c.head.size : 1024;
		step = flt_chunk_element(c.head.type);
		size -= step ? size % step : 0;
		head[0] = (uint8_t)c.head.type;
		head[1] = 0;
		head[2] = (uint8_t)size;
		head[3] = (uint8_t)(size >> 8);
		fwrite(head, 1, sizeof(head), stdout);
		if (c.head.type != FLT_CHUNK_FAULTS)
			fwrite(c.data, 1, size, stdout);
		for (i = 0; c.head.type == FLT_CHUNK_FAULTS && i < size / step; i++) {
			flt_fault_encode(&fault, &c.faults[i]);
			fwrite(&fault, sizeof(fault), 1, stdout);
		}
	}
	flt_file_done(reader);
	return 0;
}

int main(int argc, char **argv)
{
	static uint8_t data[1 << 20];
	FILE *file;
	size_t n;
	int i;

	if (argc == 3 && !strcmp(argv[1], "-s"))
		return seed_write(argv[2]);
	for (i = 1; i < argc; i++) {
		file = fopen(argv[i], "re");
		if (!file) {
			perror(argv[i]);
			return 1;
		}
		n = fread(data, 1, sizeof(data), file);
		fclose(file);
		LLVMFuzzerTestOneInput(data, n);
	}
	printf("tracefuzz: %d inputs\n", argc - 1);
	return 0;
}
#endif
