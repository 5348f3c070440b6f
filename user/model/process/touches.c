// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/process/touches.h"

#include <errno.h>
#include <stdlib.h>

#include "index/page_set.h"

/* Maximum number of blocks of pages of all images together. */
#define BLOCKS (2u << 20)

struct flt_touches {
	unsigned int page_shift;
	uint32_t budget;	/* blocks that may still be allocated */
	struct flt_page_set **image;	/* by number; NULL: unknown or ended */
	uint32_t room;
};

struct flt_touches *flt_touches_new(uint64_t page_size)
{
	struct flt_touches *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->page_shift = (unsigned int)__builtin_ctzll(page_size);
	t->budget = BLOCKS;
	return t;
}

void flt_touches_free(struct flt_touches *t)
{
	uint32_t i;

	for (i = 0; t && i < t->room; i++)
		flt_touches_end(t, i);
	if (t)
		free(t->image);
	free(t);
}

static struct flt_page_set *find(const struct flt_touches *t, uint32_t image)
{
	return image < t->room ? t->image[image] : NULL;
}

static int make_room(struct flt_touches *t, uint32_t image)
{
	uint32_t room = image < 64 ? 64 : image * 2;
	struct flt_page_set **more;

	if (image < t->room)
		return 0;
	more = reallocarray(t->image, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	t->image = more;
	while (t->room < room)
		t->image[t->room++] = NULL;
	return 0;
}

int flt_touches_image(struct flt_touches *t, uint32_t image, uint32_t parent)
{
	const struct flt_page_set *from = find(t, parent);
	struct flt_page_set *set;

	if (make_room(t, image))
		return -ENOMEM;
	set = calloc(1, sizeof(*set));
	if (!set)
		return -ENOMEM;
	t->image[image] = set;
	if (from)
		flt_page_set_copy(set, from, &t->budget);
	return 0;
}

void flt_touches_end(struct flt_touches *t, uint32_t image)
{
	struct flt_page_set *set = find(t, image);

	if (!set)
		return;
	flt_page_set_free(set, &t->budget);
	free(set);
	t->image[image] = NULL;
}

void flt_touches_map(struct flt_touches *t, uint32_t image, uint64_t start, uint64_t end)
{
	struct flt_page_set *set = find(t, image);

	if (set)
		flt_page_set_clear(set, start >> t->page_shift, ((end - 1) >> t->page_shift) + 1);
}

int flt_touches_add(struct flt_touches *t, uint32_t image, uint64_t address, bool *first)
{
	struct flt_page_set *set = find(t, image);
	int64_t added = set ? flt_page_set_add(set, address >> t->page_shift, 1, &t->budget) : 0;

	*first = added > 0;
	return added == -ENOMEM ? -ENOMEM : 0;
}
