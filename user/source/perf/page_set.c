// SPDX-License-Identifier: GPL-2.0-or-later
/* Touched pages: an open-addressed set, removal by shifting back. */
#include "source/perf/page_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t page_hash(uint64_t key)
{
	return (size_t)((key * 0x9e3779b97f4a7c15ull) >> 20);
}

static int set_grow(struct flt_page_set *set)
{
	size_t slots = set->slots ? (set->mask + 1) * 2 : 64, i, at;
	uint64_t *fresh = calloc(slots, sizeof(*fresh));

	if (!fresh)
		return -ENOMEM;
	for (i = 0; set->slots && i <= set->mask; i++) {
		if (!set->slots[i])
			continue;
		at = page_hash(set->slots[i]) & (slots - 1);
		while (fresh[at])
			at = (at + 1) & (slots - 1);
		fresh[at] = set->slots[i];
	}
	free(set->slots);
	set->slots = fresh;
	set->mask = slots - 1;
	return 0;
}

int flt_page_set_add(struct flt_page_set *set, uint64_t page)
{
	uint64_t key = page + 1;
	size_t at;

	if ((!set->slots || set->used >= (set->mask + 1) / 4 * 3) && set_grow(set))
		return -ENOMEM;
	for (at = page_hash(key) & set->mask; set->slots[at]; at = (at + 1) & set->mask)
		if (set->slots[at] == key)
			return 0;
	set->slots[at] = key;
	set->used++;
	return 1;
}

static void slot_clear(struct flt_page_set *set, size_t at)
{
	size_t next = at, home;

	for (;;) {
		next = (next + 1) & set->mask;
		if (!set->slots[next])
			break;
		home = page_hash(set->slots[next]) & set->mask;
		/* Only what would no longer be found from its home moves back. */
		if (((next - home) & set->mask) >= ((next - at) & set->mask)) {
			set->slots[at] = set->slots[next];
			at = next;
		}
	}
	set->slots[at] = 0;
	set->used--;
}

void flt_page_set_clear(struct flt_page_set *set, uint64_t first, uint64_t last)
{
	uint64_t page;
	size_t at;

	if (!set->used)
		return;
	if (last - first <= set->mask) {
		for (page = first; page < last; page++)
			for (at = page_hash(page + 1) & set->mask; set->slots[at]; at = (at + 1) & set->mask)
				if (set->slots[at] == page + 1) {
					slot_clear(set, at);
					break;
				}
		return;
	}
	for (at = 0; at <= set->mask;) {
		if (set->slots[at] > first && set->slots[at] <= last)
			slot_clear(set, at);	/* another may have come here: look again */
		else
			at++;
	}
}

int flt_page_set_copy(struct flt_page_set *to, const struct flt_page_set *from)
{
	*to = *from;
	if (!from->slots)
		return 0;
	to->slots = malloc((from->mask + 1) * sizeof(*to->slots));
	if (!to->slots) {
		memset(to, 0, sizeof(*to));
		return -ENOMEM;
	}
	memcpy(to->slots, from->slots, (from->mask + 1) * sizeof(*to->slots));
	return 0;
}

void flt_page_set_free(struct flt_page_set *set)
{
	free(set->slots);
	memset(set, 0, sizeof(*set));
}
