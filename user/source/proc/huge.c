// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/huge.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ENTRY_PRESENT (1ull << 63)
#define ENTRY_PFN ((1ull << 55) - 1)
#define KPF_THP (1ull << 22)
#define HUGE_PAGES 512u

/* include/uapi/linux/fs.h since Linux 6.7 */
#define SCAN_HUGE (1u << 6)

struct scan_region {
	__u64 start, end, categories;
};

struct scan_arg {
	__u64 size, flags, start, end, walk_end, vec, vec_len, max_pages;
	__u64 category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN_IOCTL _IOWR('f', 16, struct scan_arg)
#define REGIONS 256

struct flt_huge {
	int kpageflags;
	uint64_t *start;	/* first pages of ranges of 512, ascending */
	size_t count, room, at;
};

int flt_huge_new(struct flt_huge **out, int kpageflags)
{
	struct flt_huge *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	h->kpageflags = kpageflags;
	*out = h;
	return 0;
}

void flt_huge_free(struct flt_huge *h)
{
	if (h)
		free(h->start);
	free(h);
}

static int add(struct flt_huge *h, uint64_t start)
{
	size_t room = h->room ? h->room * 2 : 64;
	uint64_t *more;

	if (h->count == h->room) {
		more = reallocarray(h->start, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		h->start = more;
		h->room = room;
	}
	h->start[h->count++] = start;
	return 0;
}

/* Ask the kernel. Return -EOPNOTSUPP if it cannot tell. */
static int scan(struct flt_huge *h, int pagemap, const struct flt_present_area *a, uint64_t size)
{
	struct scan_region region[REGIONS];
	struct scan_arg arg = {
		.size = sizeof(arg), .start = a->start, .end = a->end,
		.vec = (uintptr_t)region, .vec_len = REGIONS,
		.category_mask = SCAN_HUGE, .return_mask = SCAN_HUGE,
	};
	uint64_t at;
	int n, i, ret = 0;

	while (!ret && arg.start < arg.end) {
		n = ioctl(pagemap, SCAN_IOCTL, &arg);
		if (n < 0)
			return -EOPNOTSUPP;
		for (i = 0; !ret && i < n; i++)
			for (at = region[i].start; !ret && at < region[i].end;
			     at += HUGE_PAGES * size)
				ret = add(h, at / size);
		arg.start = arg.walk_end;
	}
	return ret;
}

/* Return whether these are the frames of one huge page. */
static bool is_one(const struct flt_huge *h, const uint64_t entry[HUGE_PAGES])
{
	const uint64_t first = entry[0] & ENTRY_PFN;
	uint64_t flags;
	unsigned int i;

	for (i = 0; i < HUGE_PAGES; i++)
		if (!(entry[i] & ENTRY_PRESENT) || (entry[i] & ENTRY_PFN) != first + i)
			return false;
	return first && !(first % HUGE_PAGES) &&
	       pread(h->kpageflags, &flags, 8, (off_t)(first * 8)) == 8 && flags & KPF_THP;
}

static int guess(struct flt_huge *h, int pagemap, const struct flt_present_area *a, uint64_t size)
{
	uint64_t at = (a->start / size + HUGE_PAGES - 1) / HUGE_PAGES * HUGE_PAGES;
	uint64_t entry[HUGE_PAGES];
	int ret = 0;

	for (; !ret && at + HUGE_PAGES <= a->end / size; at += HUGE_PAGES) {
		if (pread(pagemap, entry, sizeof(entry), (off_t)(at * 8)) != sizeof(entry))
			return 0;
		if (is_one(h, entry))
			ret = add(h, at);
	}
	return ret;
}

int flt_huge_find(struct flt_huge *h, int pagemap, const struct flt_present_area *a)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	int ret;

	h->count = h->at = 0;
	if (!a->sums.huge)
		return 0;
	ret = scan(h, pagemap, a, size);
	if (ret == -EOPNOTSUPP) {
		h->count = 0;
		ret = guess(h, pagemap, a, size);
		if (h->count * HUGE_PAGES != a->sums.huge)
			h->count = 0;
	}
	return ret;
}

bool flt_huge_has(struct flt_huge *h, uint64_t page)
{
	while (h->at < h->count && page >= h->start[h->at] + HUGE_PAGES)
		h->at++;
	return h->at < h->count && page >= h->start[h->at];
}
