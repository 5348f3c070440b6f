// SPDX-License-Identifier: GPL-2.0-or-later
/* Encode and decode the payload of array chunks: first column, byte planes, faults. */
#include <endian.h>
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

/* Swap the bits of *a in mask << shift with the bits of *b in mask. */
static inline void bits_swap(uint64_t *a, uint64_t *b, unsigned int shift, uint64_t mask)
{
	const uint64_t t = (*a >> shift ^ *b) & mask;

	*b ^= t;
	*a ^= t << shift;
}

/* Transpose: byte i of word k becomes byte k of word i. */
static inline void bytes_transpose(uint64_t word[8])
{
	unsigned int i;

#pragma GCC unroll 4
	for (i = 0; i < 4; i++)
		bits_swap(&word[i], &word[i + 4], 32, 0x00000000ffffffffull);
#pragma GCC unroll 4
	for (i = 0; i < 4; i++)
		bits_swap(&word[i + (i & 2)], &word[i + (i & 2) + 2], 16, 0x0000ffff0000ffffull);
#pragma GCC unroll 4
	for (i = 0; i < 4; i++)
		bits_swap(&word[2 * i], &word[2 * i + 1], 8, 0x00ff00ff00ff00ffull);
}

typedef uint8_t bytes __attribute__((vector_size(16)));
typedef uint64_t words __attribute__((vector_size(16)));

/* The elements of a and b with these numbers. clang lacks one function, gcc 11 the other. */
#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (bytes){ __VA_ARGS__ })
#endif

/* Interleave bytes, pairs of bytes, or four bytes of the low or high halves of two vectors. */
#define ZIP1 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define ZIP2_LOW 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23
#define ZIP2_HIGH 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31
#define ZIP4_LOW 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23
#define ZIP4_HIGH 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31

static inline bytes pair(uint64_t a, uint64_t b)
{
	return SHUFFLE((bytes)(words){ a }, (bytes)(words){ b }, ZIP1);
}

static inline void store_two(unsigned char *out, size_t n, bytes planes)
{
	memcpy(out, &planes, 8);
	memcpy(out + n, (const char *)&planes + 8, 8);
}

/* Store the bytes of eight little-endian words in eight planes, which are n bytes apart. */
static inline void store_planes(unsigned char *out, size_t n, const uint64_t word[8])
{
	const bytes a = pair(word[0], word[1]), b = pair(word[2], word[3]);
	const bytes c = pair(word[4], word[5]), d = pair(word[6], word[7]);
	const bytes low = SHUFFLE(a, b, ZIP2_LOW);
	const bytes high = SHUFFLE(a, b, ZIP2_HIGH);
	const bytes low2 = SHUFFLE(c, d, ZIP2_LOW);
	const bytes high2 = SHUFFLE(c, d, ZIP2_HIGH);

	store_two(out, n, SHUFFLE(low, low2, ZIP4_LOW));
	store_two(out + 2 * n, n, SHUFFLE(low, low2, ZIP4_HIGH));
	store_two(out + 4 * n, n, SHUFFLE(high, high2, ZIP4_LOW));
	store_two(out + 6 * n, n, SHUFFLE(high, high2, ZIP4_HIGH));
}

/* Store eight bytes of each element in planes. differences: of their values as numbers. */
static inline void planes_split(unsigned char *out, const unsigned char *in, size_t n,
				size_t element, bool differences)
{
	uint64_t word[8], value, last = 0;
	size_t i, j;

	for (i = 0; i + 8 <= n; i += 8) {
#pragma GCC unroll 8
		for (j = 0; j < 8; j++) {
			memcpy(&value, in + (i + j) * element, 8);
			word[j] = htole64(differences ? value - last : le64toh(value));
			last = value;
		}
		store_planes(out + i, n, word);
	}
	for (; i < n; i++) {
		memcpy(&value, in + i * element, 8);
		word[0] = differences ? value - last : le64toh(value);
		last = value;
		for (j = 0; j < 8; j++)
			out[j * n + i] = (unsigned char)(word[0] >> 8 * j);
	}
}

/*
 * Most planes are constant (high bytes of times, image, weight), and zstd compresses a constant
 * plane to almost nothing. Without planes every element would need a match of its own.
 */
void flt_planes_pack(unsigned char *out, const void *in, size_t size, size_t element)
{
	const unsigned char *from = in;
	size_t n = size / element, i, k;

	planes_split(out, from, n, element, true);
	for (k = 8; k + 8 <= element; k += 8)
		planes_split(out + k * n, from + k, n, element, false);
	for (; k < element; k++)
		for (i = 0; i < n; i++)
			out[k * n + i] = from[i * element + k];
}

/* Merge planes k to k + 7 into the elements, eight elements at a time. k is a multiple of 8. */
static void planes_merge(unsigned char *to, const unsigned char *in, size_t n, size_t count,
			 size_t element, size_t k)
{
	uint64_t word[8];
	size_t i, j;

	for (i = 0; i + 8 <= count; i += 8) {
#pragma GCC unroll 8
		for (j = 0; j < 8; j++) {
			memcpy(&word[j], in + (k + j) * n + i, 8);
			word[j] = le64toh(word[j]);
		}
		bytes_transpose(word);
#pragma GCC unroll 8
		for (j = 0; j < 8; j++) {
			word[j] = htole64(word[j]);
			memcpy(to + (i + j) * element + k, &word[j], 8);
		}
	}
	for (; i < count; i++)
		for (j = 0; j < 8; j++)
			to[i * element + k + j] = in[(k + j) * n + i];
}

/*
 * Decode elements first to first + count - 1 of n. *value is the first column of the element
 * before, and is updated.
 */
static void planes_unpack(unsigned char *to, const unsigned char *in, size_t n, size_t first,
			  size_t count, size_t element, uint64_t *value)
{
	size_t i, k;
	uint64_t delta;

	for (k = 0; k + 8 <= element; k += 8)
		planes_merge(to, in + first, n, count, element, k);
	for (; k < element; k++)
		for (i = 0; i < count; i++)
			to[i * element + k] = in[k * n + first + i];
	/* The planes of the difference are in little-endian order. */
	for (i = 0; i < count; i++) {
		memcpy(&delta, to + i * element, 8);
		*value += le64toh(delta);
		memcpy(to + i * element, value, 8);
	}
}

void flt_planes_unpack(void *out, const unsigned char *in, size_t size, size_t element)
{
	uint64_t value = 0;

	planes_unpack(out, in, size / element, 0, size / element, element, &value);
}

void flt_fault_encode(struct flt_file_fault *to, const struct flt_fault *f)
{
	*to = (struct flt_file_fault){
		.time = f->time,
		.address = f->address,
		.ip = f->ip,
		.image = f->image,
		.tid = f->tid,
		.stack = f->stack,
		.latency = f->latency < UINT32_MAX ? (uint32_t)f->latency : UINT32_MAX,
		.weight = f->weight,
		.pages = f->pages,
		.flags = f->flags,
		.cpu = f->cpu,
		.kind = f->kind,
		.attempts = f->attempts,
	};
}

static void fault_decode(struct flt_fault *to, const struct flt_file_fault *f)
{
	*to = (struct flt_fault){
		.time = f->time,
		.address = f->address,
		.ip = f->ip,
		.image = f->image,
		.tid = f->tid,
		.stack = f->stack,
		.latency = f->latency,
		.weight = f->weight,
		.pages = f->pages,
		.flags = f->flags,
		.cpu = f->cpu,
		.kind = f->kind,
		.attempts = f->attempts,
		.failure = f->flags & FLT_FAULT_FAILED ? FLT_FAILURE_OTHER : 0,
	};
}

/* Faults decoded at a time. The block stays in the CPU cache between the two steps. */
#define BLOCK 256

void flt_faults_decode(struct flt_fault *out, const unsigned char *in, size_t n, bool planes)
{
	struct flt_file_fault block[BLOCK];
	size_t first, count, i;
	uint64_t value = 0;

	for (first = 0; first < n; first += count) {
		count = n - first < BLOCK ? n - first : BLOCK;
		if (planes)
			planes_unpack((unsigned char *)block, in, n, first, count, sizeof(*block),
				      &value);
		else
			memcpy(block, in + first * sizeof(*block), count * sizeof(*block));
		for (i = 0; i < count; i++)
			fault_decode(&out[first + i], &block[i]);
	}
}
