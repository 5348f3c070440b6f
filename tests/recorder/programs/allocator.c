// SPDX-License-Identifier: GPL-2.0-or-later
/* Fill and read the memory of an allocator that is linked into the program: ALLOCATE, RELEASE. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef MIMALLOC
#include <mimalloc.h>
#define ALLOCATE mi_malloc
#define RELEASE  mi_free
#else
#define ALLOCATE malloc
#define RELEASE  free
#endif

#define PIECES 200000
#define BYTES  512

int main(void)
{
	static uint32_t *piece[PIECES];
	uint64_t sum = 0;

	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < PIECES; i++) {
			if (!piece[i])
				piece[i] = ALLOCATE(BYTES + i % 7 * 16);
			if (!piece[i])
				return 1;
			for (uint32_t k = 0; k < BYTES / 4; k++)
				piece[i][k] = i * 7919 + k;
		}
		for (uint32_t i = 0; i < PIECES; i++)
			for (uint32_t k = 0; k < BYTES / 4; k += 16)
				sum += piece[i][k];
		for (uint32_t i = (uint32_t)round; i < PIECES; i += 3) {
			RELEASE(piece[i]);
			piece[i] = NULL;
		}
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
