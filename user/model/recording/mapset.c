// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/recording/mapset.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct piece {
	uint64_t start, end;
	uint32_t map;
};

struct flt_map_set {
	uint32_t users;
	uint32_t count, room;
	uint32_t copied;	/* pieces taken from the budget */
	uint64_t *budget;
	struct piece last;	/* found last; the next lookup often needs it again */
	struct piece *pieces;
};

struct flt_map_set *flt_map_set_new(uint64_t *budget)
{
	struct flt_map_set *set = calloc(1, sizeof(*set));

	if (set) {
		set->users = 1;
		set->budget = budget;
	}
	return set;
}

struct flt_map_set *flt_map_set_get(struct flt_map_set *set)
{
	set->users++;
	return set;
}

void flt_map_set_put(struct flt_map_set *set)
{
	if (!set || --set->users)
		return;
	*set->budget += set->copied;
	free(set->pieces);
	free(set);
}

static int set_own(struct flt_map_set **set)
{
	struct flt_map_set *own;

	if ((*set)->users == 1)
		return 0;
	if ((*set)->count > *(*set)->budget)
		return -E2BIG;
	own = flt_map_set_new((*set)->budget);
	if (!own)
		return -ENOMEM;
	if ((*set)->count) {
		own->pieces = malloc((*set)->count * sizeof(*own->pieces));
		if (!own->pieces) {
			free(own);
			return -ENOMEM;
		}
		memcpy(own->pieces, (*set)->pieces, (*set)->count * sizeof(*own->pieces));
		own->count = own->room = own->copied = (*set)->count;
		*own->budget -= own->copied;
	}
	flt_map_set_put(*set);
	*set = own;
	return 0;
}

/* Return the index of the first piece that ends after the address, or the number of pieces. */
static uint32_t piece_at(const struct flt_map_set *set, uint64_t address)
{
	uint32_t low = 0, high = set->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (set->pieces[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int flt_map_set_change(struct flt_map_set **where, uint64_t start, uint64_t end, uint32_t map)
{
	struct piece fresh[3], *pieces;
	struct flt_map_set *set;
	uint32_t first, after, n = 0, room;
	int err;

	err = set_own(where);
	if (err)
		return err;
	set = *where;
	set->last.end = 0;
	first = piece_at(set, start);
	for (after = first; after < set->count && set->pieces[after].start < end; after++)
		;
	/* Replace the pieces by the rest of the first, the new piece, and the rest of the last. */
	if (first < after && set->pieces[first].start < start)
		fresh[n++] =
			(struct piece){ set->pieces[first].start, start, set->pieces[first].map };
	if (map != ~0u)
		fresh[n++] = (struct piece){ start, end, map };
	if (first < after && set->pieces[after - 1].end > end)
		fresh[n++] = (struct piece){ end, set->pieces[after - 1].end,
					     set->pieces[after - 1].map };
	if (set->count - (after - first) + n > FLT_MAP_SET_PIECES)
		return -E2BIG;
	if (set->count + n > set->room) {
		room = (set->count + n) * 2;
		pieces = reallocarray(set->pieces, room, sizeof(*pieces));
		if (!pieces)
			return -ENOMEM;
		set->pieces = pieces;
		set->room = room;
	}
	if (after < set->count)
		memmove(&set->pieces[first + n], &set->pieces[after],
			(set->count - after) * sizeof(*set->pieces));
	if (n)
		memcpy(&set->pieces[first], fresh, n * sizeof(*fresh));
	set->count = set->count - (after - first) + n;
	return 0;
}

uint32_t flt_map_set_find(struct flt_map_set *set, uint64_t address)
{
	uint32_t i;

	if (set->last.start <= address && address < set->last.end)
		return set->last.map;
	i = piece_at(set, address);
	if (i == set->count || set->pieces[i].start > address)
		return ~0u;
	set->last = set->pieces[i];
	return set->last.map;
}

uint32_t flt_map_set_next(const struct flt_map_set *set, uint64_t *at, uint64_t *end)
{
	const uint32_t i = piece_at(set, *at);

	if (i == set->count || set->pieces[i].start >= *end)
		return ~0u;
	if (*at < set->pieces[i].start)
		*at = set->pieces[i].start;
	if (*end > set->pieces[i].end)
		*end = set->pieces[i].end;
	return set->pieces[i].map;
}

uint32_t flt_map_set_piece(const struct flt_map_set *set, uint32_t i)
{
	return i < set->count ? set->pieces[i].map : ~0u;
}
