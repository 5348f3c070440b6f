// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/file/sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bound of the insertions. qsort() moves a fault about as often. */
#define MOVES_PER_FAULT 16

static int fault_order(const void *a, const void *b)
{
	const struct flt_file_fault *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Return the index at which a fault belongs that began at the given time. n faults are sorted. */
static size_t fault_place(const struct flt_file_fault *faults, size_t n, uint64_t time)
{
	size_t low = 0, middle;

	while (low < n) {
		middle = low + (n - low) / 2;
		if (faults[middle].time <= time)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

void flt_file_sort(struct flt_file_fault *faults, size_t n)
{
	struct flt_file_fault fault;
	size_t i, place, moves = 0;

	for (i = 1; i < n; i++) {
		if (faults[i].time >= faults[i - 1].time)
			continue;
		place = fault_place(faults, i, faults[i].time);
		moves += i - place;
		if (moves > MOVES_PER_FAULT * n) {
			qsort(faults, n, sizeof(*faults), fault_order);
			return;
		}
		fault = faults[i];
		memmove(faults + place + 1, faults + place, (i - place) * sizeof(*faults));
		faults[place] = fault;
	}
}
