// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drain [EVENTS [CPUS [map | record | stacks | csv]]] - measure the time that the reader of a
 * stream needs per fault, with the work of a command:
 *   map     'fltctl map': regions, pages seen before, patterns and heat
 *   record  'fltctl record --no-stack': a trace file without a name
 *   stacks  'fltctl record', with stacks of 21 frames
 *   csv     'fltctl trace --csv', to /dev/null
 *
 * Passes sub-buffers of CPUS CPUs with 4095 faults each to the decoder, one sub-buffer of each
 * CPU per round, like a reader that is fast enough. The sink counts and adds up. Prints
 *     events=N ns=NS each
 * for decoder and sink, without system calls. To count instructions, run it with
 * `valgrind --tool=callgrind --toggle-collect=decode`.
 */
#include "capture/engine.h"
#include "cmd/trace/trace.h"
#include "model/memory/regions.h"
#include "source/stream/slots.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FRAMES 21
#define SLOTS 4096 /* in a sub-buffer of 256 KiB, including its head */
#define CPUS_MAX 64
#define START 0x7f0000000000ull
#define PAGES (1ull << 18) /* 1 GiB in each process, again and again */

static uint64_t faults, sum;
static uint32_t stack_id; /* ID, of all faults */

static int on_faults(void *arg, struct flt_fault *f, size_t n)
{
	uint64_t latency = 0;

	(void)arg;
	for (size_t i = 0; i < n; i++)
		latency += f[i].latency;
	faults += n;
	sum += latency;
	return 0;
}

/* Like user/cmd/map/live.c: one image per process, whose mappings are known. */
static int on_map(struct flt_regions *regions, struct flt_fault *f)
{
	f->image = f->pid - 99;
	f->flags &= ~FLT_FAULT_ALLOC;
	faults++;
	if (flt_regions_token(regions, f->image, f->address) == ~0u)
		errx(1, "nothing is mapped at %llx", (unsigned long long)f->address);
	return flt_regions_fault(regions, f);
}

static int on_maps(void *arg, struct flt_fault *f, size_t n)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++)
		ret = on_map(arg, &f[i]);
	return ret;
}

/* Like user/capture/module.c. */
static int on_captured(void *arg, struct flt_fault *f)
{
	struct capture *r = arg;
	struct flt_timeline_stack stack;
	int ret = flt_timeline_fault(r->timeline, f, &stack);

	faults++;
	return ret ? ret : capture_fault(r, f, &stack);
}

static int on_capture_note(void *arg, const union flt_stream_note *n, const void *bytes)
{
	const struct capture *r = arg;

	return flt_timeline_note(r->timeline, n, bytes);
}

static void record(struct capture *r, bool stacks)
{
	struct flt_timeline_setup setup = {
		.stacks = stacks ? FLT_TIMELINE_FRAMES : FLT_TIMELINE_NO_STACKS, .depth = 127,
	};
	int fd;

	if (flt_file_create_temporary(&r->writer, &fd))
		errx(1, "flt_file_create_temporary");
	setup.writer = r->writer;
	if (flt_timeline_new(&r->timeline, &setup))
		errx(1, "flt_timeline_new");
}

/* Like user/cmd/trace/run.c. */
static int on_traced(void *arg, struct flt_fault *f)
{
	struct trace *t = arg;
	const struct trace_fault k = {
		.fault = f, .timed = true, .in_file = f->inode,
		.comm = names_comm(&t->names, f), .path = names_path(&t->names, f),
	};

	faults++;
	return trace_line_fault(t, &k);
}

static void trace(struct trace *t)
{
	static const struct trace_args args = { .style.format = FLT_FORMAT_CSV };
	struct flt_errmsg e;

	t->args = &args;
	t->page_shift = flt_timeline_page_size().shift;
	t->out = fopen("/dev/null", "we");
	if (!t->out || names_open(&t->names))
		err(1, "trace");
	if (trace_line_open(t, &e))
		errx(1, "%s", e.text);
}

static struct flt_regions *map(uint32_t cpus)
{
	const struct flt_region_area area = {
		.start = START, .end = START + PAGES * 4096, .of = FLT_AREA_ANON, .protection = 3, .name = "",
	};
	struct flt_regions *regions;

	if (flt_regions_new(&regions, flt_timeline_page_size(), 16))
		errx(1, "flt_regions_new");
	for (uint32_t image = 1; image <= cpus; image++)
		if (flt_regions_image(regions, image, 0, 99 + image, "drain") ||
		    flt_regions_area(regions, image, &area))
			errx(1, "flt_regions_image");
	flt_heat_begin(&regions->heat, 0);
	return regions;
}

static int on_gap(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	(void)arg;
	(void)from;
	(void)to;
	errx(1, "%llu lost on CPU %u", (unsigned long long)count, cpu);
}

static struct flt_stream_sink sink = { .faults = on_faults, .gap = on_gap };

/* Replaces read(2), which also stores slots there. */
static void fill(struct flt_slots *slots, uint32_t cpu, uint32_t cpus, uint64_t round)
{
	const struct flt_subbuf head = {
		.magic = FLT_SUBBUF_MAGIC,
		.cpu = cpu,
		.sequence = round + (stack_id > 0),
		.written = round * (SLOTS - 1),
	};
	union flt_stream_note *slot;
	struct flt_errmsg e;

	if (flt_slots_room(slots, cpu, SLOTS, &slot, &e))
		errx(1, "flt_slots_room");
	memcpy(slot, &head, sizeof(head));
	for (uint64_t i = 1; i < SLOTS; i++) {
		uint64_t n = round * (SLOTS - 1) + i;

		slot[i].record = (struct flt_event_record){
			.time = (n * cpus + cpu) * 1000,
			.address = START + n % PAGES * 4096,
			.latency = 400 + (uint32_t)(n * 2654435761u >> 24 & 1023),
			.tgid = 100 + cpu,
			.tid = 100 + cpu,
			.type = FLT_EVENT_FAULT,
			.ip = 0x55c0de000123,
			.stack = stack_id,
			.flags = FLT_EVENT_USER | FLT_EVENT_WRITE,
			.kind = FLT_KIND_ANON,
			.attempts = 1,
			.weight = 1,
		};
	}
}

/* Send the stack of all faults, in a sub-buffer of its own. */
static void fill_stack(struct flt_slots *slots, uint32_t cpus)
{
	union flt_stream_note slot[1 + 1 + (FRAMES * 8 + 63) / 64] = { 0 }, *room;
	struct flt_errmsg e;

	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		const struct flt_subbuf head = { .magic = FLT_SUBBUF_MAGIC, .cpu = cpu };

		memcpy(slot, &head, sizeof(head));
		slot[1].stack = (struct flt_event_stack){
			.depth = FRAMES, .stack = 1, .type = FLT_EVENT_STACK, .more = (FRAMES * 8 + 63) / 64,
		};
		for (uint64_t i = 0; i < FRAMES; i++)
			((uint64_t *)(slot + 2))[i] = 0x55c0de000123 + 0x40 * i;
		if (flt_slots_room(slots, cpu, sizeof(slot) / sizeof(*slot), &room, &e))
			errx(1, "flt_slots_room");
		memcpy(room, slot, sizeof(slot));
		if (flt_slots_take(slots, cpu, sizeof(slot) / sizeof(*slot), &sink, &e))
			errx(1, "%s", e.text);
	}
}

__attribute__((noipa)) static void decode(struct flt_slots *slots, uint32_t cpus, uint64_t horizon)
{
	struct flt_errmsg e;

	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		if (flt_slots_take(slots, cpu, SLOTS, &sink, &e))
			errx(1, "%s", e.text);
	if (flt_slots_give(slots, horizon, &sink))
		errx(1, "flt_slots_give");
}

static struct flt_regions *regions;
static struct capture captured;
static struct trace traced;

static void command_begin(const char *command, uint32_t cpus)
{
	if (!strcmp(command, "map")) {
		regions = map(cpus);
		sink.faults = on_maps;
		sink.arg = regions;
	} else if (!strcmp(command, "record") || !strcmp(command, "stacks")) {
		stack_id = !strcmp(command, "stacks");
		record(&captured, stack_id);
		sink = (struct flt_stream_sink){
			.fault = on_captured, .note = on_capture_note, .arg = &captured,
		};
	} else if (!strcmp(command, "csv")) {
		trace(&traced);
		sink = (struct flt_stream_sink){ .fault = on_traced, .arg = &traced };
	} else if (*command) {
		errx(2, "unknown command %s", command);
	}
}

static void command_end(void)
{
	flt_regions_free(regions);
	if (captured.writer)
		flt_file_close(captured.writer, faults, 0);
	flt_timeline_free(captured.timeline);
	trace_line_close(&traced, 0);
	names_close(&traced.names);
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000, spent = 0;
	uint32_t cpus = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 2;
	const char *command = argc > 3 ? argv[3] : "";
	struct flt_slots *slots;
	struct timespec a, b;

	if (!cpus || cpus > CPUS_MAX || flt_slots_new(&slots, cpus))
		errx(2, "usage: drain [EVENTS [CPUS [map | record | stacks | csv]]], at most %d CPUs",
		     CPUS_MAX);
	command_begin(command, cpus);
	if (stack_id)
		fill_stack(slots, cpus);
	for (uint64_t round = 0; faults < events; round++) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++)
			fill(slots, cpu, cpus, round);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
		decode(slots, cpus, UINT64_MAX);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
		spent += (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000 + (uint64_t)b.tv_nsec -
			 (uint64_t)a.tv_nsec;
	}
	printf("events=%llu ns=%.1f sum=%llu\n", (unsigned long long)faults,
	       (double)spent / (double)faults, (unsigned long long)sum);
	command_end();
	flt_slots_free(slots);
	return 0;
}
