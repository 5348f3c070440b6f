// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * streamfuzz - decode arbitrary netlink messages and streams, as from a broken module.
 *
 * Input: 'N' and attributes, which are decoded as every reply and event of the family; or
 * any other byte and a list of steps for a stream of four CPUs. A step begins with a byte
 * that has the CPU in its low bits:
 *
 *   0x00  a valid sub-buffer head; a byte: number of lost faults
 *   0x10  slots from the input; a byte: their number, the slots
 *   0x20  a slot of zeros except for a type and eight bytes; a byte: type, a byte: offset,
 *         eight bytes
 *   0x30  deliver up to a time; eight bytes: the time. With 0x40 several records per call
 *
 * The program itself makes valid heads, because the decoder rejects others early. Delivered
 * records must be in order and have the announced length.
 *
 * With libFuzzer this is a fuzz target. Without, it runs the files in its arguments (the
 * corpus, as a test).
 */
#include <errno.h>
#include <linux/flt.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/process/paths.h"
#include "source/netlink/decode.h"
#include "source/stream/slots.h"

#define CPUS 4
#define UNIT sizeof(union flt_stream_note)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct state {
	struct flt_slots *slots;
	struct flt_paths *paths;
	uint64_t last, faults, gaps;
	unsigned int sum;
	/* Counts for the next valid head. */
	struct {
		uint64_t heads, faults, lost;
		uint32_t rest;
	} cpu[CPUS];
};

static void in_order(struct state *s, uint64_t time)
{
	if (time < s->last)
		abort();
	s->last = time;
}

static int on_fault(void *arg, struct flt_fault *f)
{
	struct state *s = arg;

	in_order(s, f->time + f->latency);
	s->faults++;
	s->sum += flt_paths_get(s->paths, f->device, f->inode) != NULL;
	return 0;
}

static int on_faults(void *arg, struct flt_fault *f, size_t count)
{
	size_t i;

	if (!count)
		abort();
	for (i = 0; i < count; i++)
		on_fault(arg, &f[i]);
	return 0;
}

static size_t length_of(const union flt_stream_note *head)
{
	switch (head->record.type) {
	case FLT_EVENT_PATH:
		return head->path.length;
	case FLT_EVENT_AREA:
		return head->area.length;
	case FLT_EVENT_LIFE:
		return FLT_COMM_LEN;
	case FLT_EVENT_STACK:
		return sizeof(uint64_t) * (size_t)head->stack.depth;
	case FLT_EVENT_SLICE:
		return sizeof(struct flt_event_registers) + (size_t)head->slice.length;
	}
	return 0;
}

static int on_note(void *arg, const union flt_stream_note *head, const void *bytes)
{
	struct state *s = arg;
	const uint8_t *byte = bytes;
	size_t i;

	/* A stack that later records may refer to comes first, regardless of its time. */
	if (head->record.type != FLT_EVENT_STACK || head->stack.flags & FLT_STACK_ONCE)
		in_order(s, head->path.time);
	for (i = 0; i < length_of(head); i++)
		s->sum += byte[i];
	if (head->record.type == FLT_EVENT_PATH)
		return flt_paths_put(s->paths, &head->path, bytes);
	return 0;
}

static int on_gap(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	struct state *s = arg;

	(void)from;
	(void)to;
	if (cpu >= CPUS || !count)
		abort();
	s->gaps += count;
	return 0;
}

static int take(struct state *s, uint32_t cpu, const union flt_stream_note *slot, size_t count)
{
	const struct flt_stream_sink sink = { .fault = on_fault, .note = on_note, .gap = on_gap,
					      .arg = s };
	union flt_stream_note *room;
	struct flt_errmsg e;
	struct flt_subbuf h;
	size_t i;
	int err = flt_slots_room(s->slots, cpu, count, &room, &e);

	if (err)
		return err;
	memcpy(room, slot, count * sizeof(*slot));
	for (i = 0; i < count; i++) {
		if (s->cpu[cpu].rest) {
			s->cpu[cpu].rest--;
		} else if (slot[i].record.type == FLT_EVENT_FAULT) {
			s->cpu[cpu].faults++;
		} else if (slot[i].record.type) {
			s->cpu[cpu].rest = slot[i].path.more;
		} else {
			memcpy(&h, &slot[i], sizeof(h));
			s->cpu[cpu].heads++;
			s->cpu[cpu].lost = h.lost_full;
		}
	}
	return flt_slots_take(s->slots, cpu, count, &sink, &e);
}

static int give(struct state *s, uint64_t horizon, bool several)
{
	const struct flt_stream_sink sink = {
		.fault = on_fault, .faults = several ? on_faults : NULL,
		.note = on_note, .gap = on_gap, .arg = s,
	};

	/* Order is checked per delivery, because records of a later delivery may be older. */
	s->last = 0;
	return flt_slots_give(s->slots, horizon, &sink);
}

static int head(struct state *s, uint32_t cpu, uint8_t lost)
{
	union flt_stream_note slot;
	const struct flt_subbuf h = {
		.magic = FLT_SUBBUF_MAGIC, .cpu = cpu, .sequence = s->cpu[cpu].heads,
		.written = s->cpu[cpu].faults, .lost_full = s->cpu[cpu].lost + lost,
	};

	memcpy(&slot, &h, sizeof(h));
	return take(s, cpu, &slot, 1);
}

/* Run a step. Return the number of input bytes it used, or 0 at the end of the input. */
static size_t step(struct state *s, const uint8_t *data, size_t size, int *err)
{
	union flt_stream_note slot[16] = { 0 };
	uint32_t cpu = data[0] % CPUS;
	uint64_t time;
	size_t n;

	switch (data[0] >> 4 & 3) {
	case 0:
		if (size < 2)
			return 0;
		*err = head(s, cpu, data[1]);
		return 2;
	case 1:
		n = size < 2 ? 0 : data[1] % 16 + 1u;
		if (!n || size < 2 + n * UNIT)
			return 0;
		memcpy(slot, data + 2, n * UNIT);
		*err = take(s, cpu, slot, n);
		return 2 + n * UNIT;
	case 2:
		if (size < 11)
			return 0;
		memcpy((uint8_t *)slot + data[2] % (UNIT - 7), data + 3, 8);
		slot->record.type = data[1];
		*err = take(s, cpu, slot, 1);
		return 11;
	default:
		if (size < 9)
			return 0;
		memcpy(&time, data + 1, 8);
		*err = give(s, time, data[0] & 0x40);
		return 9;
	}
}

static void stream(const uint8_t *data, size_t size)
{
	struct state s = { 0 };
	uint64_t delivered, lost, faults = 0, announced = 0;
	size_t used;
	int i, err = 0;

	if (flt_slots_new(&s.slots, CPUS) || flt_paths_new(&s.paths))
		abort();
	while (size && !err) {
		used = step(&s, data, size, &err);
		if (!used)
			break;
		data += used;
		size -= used;
	}
	if (!err) {
		err = give(&s, UINT64_MAX, false);
		flt_slots_count(s.slots, &delivered, &lost);
		for (i = 0; i < CPUS; i++) {
			faults += s.cpu[i].faults;
			announced += s.cpu[i].lost;
		}
		if (err || delivered != s.faults || delivered != faults || lost != announced ||
		    lost != s.gaps || flt_slots_taken(s.slots) != delivered)
			abort();
	}
	flt_slots_free(s.slots);
	flt_paths_free(s.paths);
}

static void attributes(const uint8_t *data, size_t size)
{
	union {
		struct flt_info info;
		struct flt_hook hook;
		struct flt_tally tally;
		struct flt_latency latency;
		struct flt_slow slow;
		struct flt_row row;
		struct flt_session session;
		struct flt_event_bytes events;
	} out;
	/* An exact copy with the kernel's alignment, so that ASan finds reads past the end. */
	struct nlattr *attrs = malloc(size ? size : 1);
	int length = (int)size;
	size_t i, sum = 0;

	if (!attrs)
		abort();
	memcpy(attrs, data, size);
	flt_decode_info(attrs, length, &out.info);
	flt_decode_hook(attrs, length, &out.hook);
	flt_decode_tally(attrs, length, &out.tally);
	flt_decode_latency(attrs, length, &out.latency);
	flt_decode_slow(attrs, length, &out.slow);
	flt_decode_proc(attrs, length, &out.row);
	flt_decode_task(attrs, length, &out.row);
	flt_decode_session(attrs, length, &out.session);
	if (!flt_decode_events(attrs, length, &out.events))
		for (i = 0; i < out.events.size; i++)
			sum += ((const uint8_t *)out.events.slots)[i];
	if (sum == SIZE_MAX)
		abort();
	free(attrs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] == 'N')
		attributes(data + 1, size - 1);
	else if (size)
		stream(data + 1, size - 1);
	return 0;
}

#ifndef FLT_LIBFUZZER
int main(int argc, char **argv)
{
	static uint8_t data[1 << 16];
	FILE *file;
	size_t n;
	int i;

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
	printf("streamfuzz: %d inputs\n", argc - 1);
	return 0;
}
#endif
