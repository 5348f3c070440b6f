// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/process/lives.h"

#include <errno.h>
#include <stdlib.h>

struct life {
	uint32_t tgid;	/* 0: a free slot */
	uint32_t image;
};

struct flt_lives {
	struct life *slots;
	uint32_t mask, count, images;
};

struct flt_lives *flt_lives_new(void)
{
	struct flt_lives *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->mask = 63;
	l->slots = calloc(l->mask + 1, sizeof(*l->slots));
	if (!l->slots) {
		free(l);
		return NULL;
	}
	return l;
}

void flt_lives_free(struct flt_lives *l)
{
	if (l)
		free(l->slots);
	free(l);
}

static struct life *slot_of(struct life *slots, uint32_t mask, uint32_t tgid)
{
	uint32_t at = (tgid * 2654435769u >> 7) & mask;

	while (slots[at].tgid && slots[at].tgid != tgid)
		at = (at + 1) & mask;
	return &slots[at];
}

uint32_t flt_lives_image(const struct flt_lives *l, uint32_t tgid)
{
	return slot_of(l->slots, l->mask, tgid)->image;
}

static int grow(struct flt_lives *l)
{
	uint32_t mask = l->mask * 2 + 1, i;
	struct life *slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (i = 0; i <= l->mask; i++)
		if (l->slots[i].tgid)
			*slot_of(slots, mask, l->slots[i].tgid) = l->slots[i];
	free(l->slots);
	l->slots = slots;
	l->mask = mask;
	return 0;
}

uint32_t flt_lives_begin(struct flt_lives *l, uint32_t tgid)
{
	struct life *slot;

	if (l->count * 2 >= l->mask && grow(l))
		return 0;
	slot = slot_of(l->slots, l->mask, tgid);
	l->count += !slot->tgid;
	slot->tgid = tgid;
	slot->image = ++l->images;
	return slot->image;
}
