// SPDX-License-Identifier: GPL-2.0-or-later
/* Payload coding of array chunks: difference of the first column, byte planes; faults. */
#include <string.h>

#include "source/file/file.h"

size_t flt_chunk_element(unsigned int type)
{
	switch (type) {
	case FLT_CHUNK_STACKS:
		return sizeof(struct flt_file_node);
	case FLT_CHUNK_FAULTS:
		return sizeof(struct flt_file_fault);
	default:
		return 0;
	}
}

/*
 * Most planes are constant (upper halves of times, images, weights), and a
 * constant run costs zstd next to nothing; interleaved, each element costs it a
 * match.
 */
void flt_planes_pack(unsigned char *out, const void *in, size_t size, size_t element)
{
	const unsigned char *from = in;
	size_t n = size / element, i, k;
	uint64_t value, last = 0, delta;

	for (i = 0; i < n; i++) {
		memcpy(&value, from + i * element, 8);
		delta = value - last;
		last = value;
		for (k = 0; k < 8; k++)
			out[k * n + i] = (unsigned char)(delta >> (8 * k));
	}
	for (k = 8; k < element; k++)
		for (i = 0; i < n; i++)
			out[k * n + i] = from[i * element + k];
}

/* Elements [first, first + count) of n. *value is the first column of the element before. */
static void planes_unpack(unsigned char *to, const unsigned char *in, size_t n, size_t first, size_t count,
			  size_t element, uint64_t *value)
{
	size_t i, k;
	uint64_t delta;

	for (i = 0; i < count; i++) {
		delta = 0;
		for (k = 0; k < 8; k++)
			delta |= (uint64_t)in[k * n + first + i] << (8 * k);
		*value += delta;
		memcpy(to + i * element, value, 8);
	}
	for (k = 8; k < element; k++)
		for (i = 0; i < count; i++)
			to[i * element + k] = in[k * n + first + i];
}

void flt_planes_unpack(void *out, const unsigned char *in, size_t size, size_t element)
{
	uint64_t value = 0;

	planes_unpack(out, in, size / element, 0, size / element, element, &value);
}

void flt_fault_encode(struct flt_file_fault *to, const struct flt_fault *f)
{
	*to = (struct flt_file_fault){
		.time = f->time, .address = f->address, .ip = f->ip, .image = f->image, .tid = f->tid,
		.stack = f->stack, .latency = f->latency < UINT32_MAX ? (uint32_t)f->latency : UINT32_MAX,
		.weight = f->weight, .pages = f->pages, .flags = f->flags, .cpu = f->cpu, .kind = f->kind,
		.attempts = f->attempts,
	};
}

static void fault_decode(struct flt_fault *to, const struct flt_file_fault *f)
{
	*to = (struct flt_fault){
		.time = f->time, .address = f->address, .ip = f->ip, .image = f->image, .tid = f->tid,
		.stack = f->stack, .latency = f->latency, .weight = f->weight, .pages = f->pages,
		.flags = f->flags, .cpu = f->cpu, .kind = f->kind, .attempts = f->attempts,
		.failure = f->flags & FLT_FAULT_FAILED ? FLT_FAILURE_OTHER : 0,
	};
}

/* Faults decoded at a time, so that they stay in the cache between the two steps. */
#define BLOCK 64

void flt_faults_decode(struct flt_fault *out, const unsigned char *in, size_t n, bool planes)
{
	struct flt_file_fault block[BLOCK];
	size_t first, count, i;
	uint64_t value = 0;

	for (first = 0; first < n; first += count) {
		count = n - first < BLOCK ? n - first : BLOCK;
		if (planes)
			planes_unpack((unsigned char *)block, in, n, first, count, sizeof(*block), &value);
		else
			memcpy(block, in + first * sizeof(*block), count * sizeof(*block));
		for (i = 0; i < count; i++)
			fault_decode(&out[first + i], &block[i]);
	}
}
