// SPDX-License-Identifier: GPL-2.0-or-later
/* Payload coding of array chunks: difference of the first column, byte planes. */
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

void flt_planes_unpack(void *out, const unsigned char *in, size_t size, size_t element)
{
	unsigned char *to = out;
	size_t n = size / element, i, k;
	uint64_t value = 0, delta;

	for (i = 0; i < n; i++) {
		delta = 0;
		for (k = 0; k < 8; k++)
			delta |= (uint64_t)in[k * n + i] << (8 * k);
		value += delta;
		memcpy(to + i * element, &value, 8);
		for (k = 8; k < element; k++)
			to[i * element + k] = in[k * n + i];
	}
}
