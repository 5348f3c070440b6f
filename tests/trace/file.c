// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the trace file: write and read, damage of each kind, and the recovered part. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/recording/recording.h"
#include "source/file/file.h"

static char dir[] = "/tmp/flt-file-XXXXXX";
static char path[64];

static int dir_make(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/t.flt", dir);
	return 0;
}

static int dir_remove(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static struct flt_fault fault_of(uint32_t i)
{
	return (struct flt_fault){
		.time = 5000000000ull + i * 1234567ull, .address = 0x7f0000000000ull + i * 4096ull, .ip = 0x400000 + i % 7, .image = 1,
		.tid = 77, .stack = 1 + i % 3, .latency = i, .weight = 1 + i % 2, .pages = 1, .cpu = (uint16_t)i, .kind = (uint8_t)(i % (FLT_KIND_MAX + 1)),
		.flags = i & __FLT_FAULT_FLAGS_ALL, .failure = i & FLT_FAULT_FAILED ? FLT_FAILURE_OTHER : 0,
		.attempts = (uint8_t)i,
	};
}

/* Write a file with records of all types, and faults in `flushes` chunks. */
static void file_make(uint32_t faults, uint32_t flushes)
{
	uint64_t frames[3][2] = { { 0x400010, 0x400100 }, { 0x400020, 0x400100 }, { 0x400030, 0x400200 } };
	struct flt_record_map map = { .start = 0x400000, .end = 0x500000, .flags = FLT_MAP_READ | FLT_MAP_EXEC, .inode = 9,
				      .build_id_size = 3, .build_id = { 1, 2, 3 } };
	struct flt_record_stats stats = { .head = { .time = 6000000000ull }, .faults = 10, .resident = 4096 };
	struct flt_file_writer *w;
	struct flt_fault f;
	uint32_t image, id, i;

	unlink(path);
	assert_int_equal(flt_file_create(&w, path, NULL), 0);
	assert_int_equal(flt_file_host(w, "test", (char *const[]){ "a b", "c'd", NULL }), 0);
	assert_int_equal(flt_file_image(w, 1, 42, 1, 0, FLT_IMAGE_START, "first", &image), 0);
	assert_int_equal(image, 1);
	assert_int_equal(flt_file_thread(w, 2, image, 77, "thread\x1b[2J"), 0);
	map.head.image = image;
	assert_int_equal(flt_file_map(w, &map, "/bin/a"), 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(flt_file_stack(w, image, frames[i], 2, &id), 0);
		assert_true(id > 0);
	}
	for (i = 0; i < faults; i++) {
		f = fault_of(i);
		assert_int_equal(flt_file_fault(w, &f), 0);
		if (flushes && i % (faults / flushes) == 0)
			assert_int_equal(flt_file_flush(w), 0);
	}
	assert_int_equal(flt_file_stats(w, &stats), 0);
	assert_int_equal(flt_file_exit(w, 7000000000ull, image, 0, 256), 0);
	flt_file_lost(w, FLT_LOSS_BUFFER, 5);
	assert_int_equal(flt_file_close(w, faults + 5, 0), 0);
}

struct seen {
	uint32_t faults, good, damaged;
	enum flt_damage first;
	uint64_t offset, lost;
	struct flt_recording *rec;
};

/* Read to the end, also past damage. Return the error of flt_file_open(). */
static int file_read(struct seen *s)
{
	const struct flt_record *r;
	struct flt_file_reader *reader;
	struct flt_file_chunk c;
	uint32_t version;
	int err;

	memset(s, 0, sizeof(*s));
	err = flt_file_open(&reader, path, &version);
	if (err)
		return err;
	assert_int_equal(flt_recording_new(&s->rec), 0);
	while ((err = flt_file_next(reader, &c))) {
		if (err == -EBADMSG) {
			if (!s->damaged++) {
				s->first = c.damage;
				s->offset = c.offset;
			}
			continue;
		}
		assert_int_equal(err, 1);
		s->good++;
		s->lost = c.head.lost[FLT_LOSS_BUFFER];
		if (c.head.type == FLT_CHUNK_FAULTS)
			s->faults += c.head.count;
		else if (c.head.type == FLT_CHUNK_STACKS)
			flt_recording_nodes(s->rec, c.nodes, c.head.count);
		else
			for (r = NULL; (r = flt_file_record(&c, r));)
				flt_recording_record(s->rec, r);
	}
	assert_int_equal(flt_recording_settle(s->rec), 0);
	flt_file_done(reader);
	return 0;
}

static void seen_free(struct seen *s)
{
	flt_recording_free(s->rec);
}

static void recording_reads_back_as_written(void **state)
{
	struct flt_file_reader *reader;
	struct flt_file_chunk c;
	struct flt_fault want;
	const struct flt_image *image;
	uint32_t version, places[8], n = 0, i;
	struct seen s;

	(void)state;
	file_make(70000, 0);
	assert_int_equal(file_read(&s), 0);
	assert_int_equal(s.damaged, 0);
	assert_int_equal(s.faults, 70000);
	assert_int_equal(s.lost, 5);
	assert_int_equal(s.rec->end.produced, 70005);
	assert_int_equal(s.rec->end.faults, 70000);
	assert_string_equal(flt_recording_info(s.rec, "command"), "'a b' 'c'\\''d'");
	assert_int_equal(1l << flt_recording_page_size(s.rec).shift, sysconf(_SC_PAGESIZE));
	image = flt_recording_image(s.rec, 1);
	assert_int_equal(image->pid, 42);
	assert_int_equal(image->end, 7000000000ull);
	assert_string_equal(flt_recording_comm(s.rec, 1, 77), "thread\x1b[2J");
	assert_int_equal(image->node_count, 5);	/* two stacks share their outer frame */
	assert_int_equal(flt_recording_stack(s.rec, 1, 2, places, NULL, 8), 2);
	assert_string_equal(s.rec->objects[s.rec->places[places[0]].object].name, "/bin/a");
	assert_int_equal(s.rec->places[places[0]].offset, 0xf);	/* the call, not its return address */
	seen_free(&s);

	assert_int_equal(flt_file_open(&reader, path, &version), 0);
	while (flt_file_next(reader, &c) == 1) {
		if (c.head.type != FLT_CHUNK_FAULTS)
			continue;
		for (i = 0; i < c.head.count; i++) {
			want = fault_of(n++);
			assert_memory_equal(&c.faults[i], &want, sizeof(want));
		}
	}
	assert_int_equal(n, 70000);
	flt_file_done(reader);
}

/* Truncated at any byte, a file is read up to its last whole chunk and known to be incomplete. */
static void truncated_file_is_readable_up_to_last_chunk(void **state)
{
	struct stat st;
	struct seen s;
	off_t size;
	uint32_t last = 60;

	(void)state;
	file_make(60, 6);
	assert_int_equal(stat(path, &st), 0);
	for (size = st.st_size - 1; size >= 0; size--) {
		assert_int_equal(truncate(path, size), 0);
		if (size < (off_t)sizeof(struct flt_file_header)) {
			assert_int_equal(file_read(&s), -EINVAL);
			continue;
		}
		assert_int_equal(file_read(&s), 0);
		assert_true(s.faults <= last);
		if (size == st.st_size - 1)
			assert_int_equal(s.faults, 60);	/* only the end record is missing */
		assert_false(s.rec->end.head.type);
		assert_true(s.damaged <= 1);
		if (s.damaged)
			assert_int_equal(s.first, FLT_DAMAGE_SHORT);
		last = s.faults;
		seen_free(&s);
	}
	assert_int_equal(last, 0);
}

static void patch(off_t at, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY);

	assert_int_equal(pwrite(fd, data, size, at), size);
	close(fd);
}

/* A wrong byte at any offset is detected and loses one chunk only. */
static void one_byte_costs_one_chunk(void **state)
{
	struct seen s, whole;
	unsigned char byte;
	struct stat st;
	off_t at;
	int fd;

	(void)state;
	file_make(60, 6);
	assert_int_equal(file_read(&whole), 0);
	assert_int_equal(stat(path, &st), 0);
	for (at = sizeof(struct flt_file_header); at < st.st_size; at++) {
		fd = open(path, O_RDONLY);
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		close(fd);
		byte ^= 0x41;
		patch(at, &byte, 1);
		assert_int_equal(file_read(&s), 0);
		if (s.damaged) {	/* otherwise the byte was padding */
			assert_in_range(s.good, whole.good - 1, whole.good - 1);
			assert_true(s.offset <= (uint64_t)at);
		} else {
			assert_int_equal(s.good, whole.good);
		}
		seen_free(&s);
		byte ^= 0x41;
		patch(at, &byte, 1);
	}
	seen_free(&whole);
}

/* Overwrite many bytes at random, with a fixed seed. The reader must end and not crash. */
static void random_damage_never_crashes_the_reader(void **state)
{
	unsigned char noise[64];
	struct stat st;
	struct seen s;
	int round, i, k;

	(void)state;
	srandom(1);
	for (round = 0; round < 300; round++) {
		file_make(60, 6);
		assert_int_equal(stat(path, &st), 0);
		for (i = 0; i < 1 + round % 20; i++) {
			for (k = 0; k < (int)sizeof(noise); k++)
				noise[k] = (unsigned char)random();
			patch(random() % st.st_size, noise, (size_t)(1 + random() % (long)sizeof(noise)));
		}
		if (!file_read(&s))
			seen_free(&s);
	}
}

static void lost_chunk_of_stacks_keeps_other_stacks(void **state)
{
	struct flt_file_writer *w;
	struct flt_file_node nodes[2] = { { .address = 0x1111, .id = 1, .image = 1 }, { .address = 0x2222, .id = 2, .image = 1 } };
	struct flt_file_reader *reader;
	struct flt_file_chunk c;
	uint32_t version, image, places[4];
	uint64_t addresses[4];
	struct seen s;

	(void)state;
	unlink(path);
	assert_int_equal(flt_file_create(&w, path, NULL), 0);
	assert_int_equal(flt_file_image(w, 1, 42, 1, 0, FLT_IMAGE_START, "a", &image), 0);
	assert_int_equal(flt_file_nodes(w, &nodes[0], 1), 0);
	assert_int_equal(flt_file_flush(w), 0);
	assert_int_equal(flt_file_nodes(w, &nodes[1], 1), 0);
	assert_int_equal(flt_file_close(w, 0, 0), 0);
	assert_int_equal(flt_file_open(&reader, path, &version), 0);
	while (flt_file_next(reader, &c) == 1)
		if (c.head.type == FLT_CHUNK_STACKS)
			break;
	patch((off_t)(c.offset + sizeof(struct flt_chunk)), "\377\377", 2);
	flt_file_done(reader);
	assert_int_equal(file_read(&s), 0);
	assert_int_equal(s.damaged, 1);
	assert_int_equal(flt_recording_stack(s.rec, 1, 2, places, addresses, 4), 1);
	assert_int_equal(addresses[0], 0x2222);
	assert_int_equal(flt_recording_image(s.rec, 1)->nodes[0].place, 0);
	seen_free(&s);
}

static void earlier_files_are_kept(void **state)
{
	struct flt_file_writer *w;
	char kept[4096], name[4096];
	int i;

	(void)state;
	unlink(path);
	for (i = 0; i < 4; i++) {
		assert_int_equal(flt_file_create(&w, path, kept), 0);
		assert_int_equal(flt_file_close(w, 0, 0), 0);
		if (i == 0)
			name[0] = '\0';
		else if (i == 1)
			snprintf(name, sizeof(name), "%s.old", path);
		else
			snprintf(name, sizeof(name), "%s.old.%d", path, i - 1);
		assert_string_equal(kept, name);
		if (i)
			assert_int_equal(access(kept, F_OK), 0);
	}
	assert_int_equal(flt_file_create(&w, dir, kept), -EINVAL);
}

/* If the disk is full (simulated by RLIMIT_FSIZE), the writer returns the error. */
static void full_disk_is_reported_and_keeps_the_file(void **state)
{
	struct rlimit old, small = { 65536, RLIM_INFINITY };
	struct flt_file_writer *w;
	struct flt_fault f;
	uint32_t image, i;
	int err = 0;
	struct seen s;

	(void)state;
	unlink(path);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(flt_file_create(&w, path, NULL), 0);
	assert_int_equal(flt_file_image(w, 1, 42, 1, 0, FLT_IMAGE_START, "a", &image), 0);
	for (i = 0; i < 1000000 && !err; i++) {
		f = fault_of(i);
		f.address = f.address * 2654435761u ^ (uint64_t)i << 20;
		err = flt_file_fault(w, &f);
	}
	assert_int_equal(err, -EFBIG);
	assert_int_equal(flt_file_fault(w, &f), -EFBIG);
	assert_int_equal(flt_file_close(w, i, 0), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(file_read(&s), 0);
	assert_int_equal(s.damaged, 0);
	assert_false(s.rec->end.head.type);
	seen_free(&s);
}

static void other_files_are_refused(void **state)
{
	struct flt_file_header head;
	uint32_t version;
	struct flt_file_reader *r;
	int fd;

	(void)state;
	assert_int_equal(flt_file_open(&r, "/dev/null", &version), -EINVAL);
	assert_int_equal(flt_file_open(&r, "/tmp", &version), -EISDIR);
	assert_int_equal(flt_file_open(&r, "/nonexistent", &version), -ENOENT);
	file_make(1, 0);
	fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, &head, sizeof(head), 0), sizeof(head));
	head.magic = __builtin_bswap64(head.magic);
	patch(0, &head, sizeof(head));
	assert_int_equal(flt_file_open(&r, path, &version), -EPROTO);
	assert_int_equal(version, 0);
	head.magic = __builtin_bswap64(head.magic);
	head.reserved[0] = 1;
	patch(0, &head, sizeof(head));
	assert_int_equal(flt_file_open(&r, path, &version), -EBADMSG);
	close(fd);
}

static void unpacked_planes_equal_the_input(void **state)
{
	unsigned char in[56 * 33], packed[sizeof(in)], out[sizeof(in)];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(in); i++)
		in[i] = (unsigned char)(i * 31 + i / 7);
	flt_planes_pack(packed, in, sizeof(in), 56);
	flt_planes_unpack(out, packed, sizeof(in), 56);
	assert_memory_equal(in, out, sizeof(in));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unpacked_planes_equal_the_input),
		cmocka_unit_test(recording_reads_back_as_written),
		cmocka_unit_test(truncated_file_is_readable_up_to_last_chunk),
		cmocka_unit_test(one_byte_costs_one_chunk),
		cmocka_unit_test(random_damage_never_crashes_the_reader),
		cmocka_unit_test(lost_chunk_of_stacks_keeps_other_stacks),
		cmocka_unit_test(earlier_files_are_kept),
		cmocka_unit_test(full_disk_is_reported_and_keeps_the_file),
		cmocka_unit_test(other_files_are_refused),
	};

	return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
