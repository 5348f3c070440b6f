// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/process/touches.h"

#include <errno.h>
#include <stdlib.h>

#include "index/page_set.h"

/* Maximum number of blocks of pages of all images together. */
#define BLOCKS (2u << 20)

struct image_touches {
	struct flt_page_set mapped;	/* touched since their mapping was last reported */
	struct flt_page_set ever;	/* touched since a file was last mapped there */
};

struct flt_touches {
	unsigned int page_shift;
	uint32_t budget;	/* blocks that may still be allocated */
	struct image_touches **image;	/* by number; NULL: unknown or ended */
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

static struct image_touches *find(const struct flt_touches *t, uint32_t image)
{
	return image < t->room ? t->image[image] : NULL;
}

static int make_room(struct flt_touches *t, uint32_t image)
{
	uint32_t room = image < 64 ? 64 : image * 2;
	struct image_touches **more;

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
	const struct image_touches *from = find(t, parent);
	struct image_touches *pages;

	if (make_room(t, image))
		return -ENOMEM;
	pages = calloc(1, sizeof(*pages));
	if (!pages)
		return -ENOMEM;
	t->image[image] = pages;
	if (from) {
		flt_page_set_copy(&pages->mapped, &from->mapped, &t->budget);
		flt_page_set_copy(&pages->ever, &from->ever, &t->budget);
	}
	return 0;
}

void flt_touches_end(struct flt_touches *t, uint32_t image)
{
	struct image_touches *pages = find(t, image);

	if (!pages)
		return;
	flt_page_set_free(&pages->mapped, &t->budget);
	flt_page_set_free(&pages->ever, &t->budget);
	free(pages);
	t->image[image] = NULL;
}

void flt_touches_map(struct flt_touches *t, uint32_t image, uint64_t start, uint64_t end,
		     bool anonymous)
{
	struct image_touches *pages = find(t, image);
	const uint64_t first = start >> t->page_shift;
	const uint64_t last = ((end - 1) >> t->page_shift) + 1;

	if (!pages)
		return;
	flt_page_set_clear(&pages->mapped, first, last);
	if (!anonymous)
		flt_page_set_clear(&pages->ever, first, last);
}

int flt_touches_add(struct flt_touches *t, uint32_t image, uint64_t address, bool major,
		    bool *first)
{
	struct image_touches *pages = find(t, image);
	const uint64_t page = address >> t->page_shift;
	int64_t mapped, ever;

	*first = false;
	if (!pages)
		return 0;
	mapped = flt_page_set_add(&pages->mapped, page, 1, &t->budget);
	ever = flt_page_set_add(&pages->ever, page, 1, &t->budget);
	*first = mapped > 0 && (ever > 0 || !major);
	return mapped == -ENOMEM || ever == -ENOMEM ? -ENOMEM : 0;
}
