// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/idle.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/proc/pagemap.h"

#define BITMAP "/sys/kernel/mm/page_idle/bitmap"
#define FLAGS "/proc/kpageflags"
#define KPF_COMPOUND_HEAD (1ull << 15)
#define KPF_COMPOUND_TAIL (1ull << 16)
#define KPF_ZERO_PAGE (1ull << 24)

struct flt_idle {
	int bitmap, flags;
	/* The current word of the bitmap, cached for neighbouring pages. */
	uint64_t word_at, word;
	bool word_known;
	struct flt_sample *sample;
	struct flt_errmsg *e;
};

/*
 * Read a word of a file that has one word per page or per 64 pages. The file ends earlier if
 * the page belongs to a device and is not memory; *there is false then.
 */
static int read_word(const struct flt_idle *idle, int fd, const char *path, uint64_t at,
		     uint64_t *word, bool *there)
{
	ssize_t n = pread(fd, word, 8, (off_t)(at * 8));

	if (n < 0)
		return flt_errmsg_set(idle->e, -errno, "cannot read word %" PRIu64 " of %s: %s", at,
				      path, strerror(errno));
	*there = n == 8;
	return 0;
}

int flt_idle_open(struct flt_idle **out, struct flt_errmsg *e)
{
	struct flt_idle *idle;
	int ret;

	if (access(BITMAP, F_OK))
		return flt_errmsg_set(e, -EOPNOTSUPP, "this kernel has no " BITMAP
				      ": it needs CONFIG_IDLE_PAGE_TRACKING, which Debian's "
				      "kernels do not have (use scan)");
	idle = calloc(1, sizeof(*idle));
	if (!idle)
		return -ENOMEM;
	idle->bitmap = open(BITMAP, O_RDWR | O_CLOEXEC);
	idle->flags = open(FLAGS, O_RDONLY | O_CLOEXEC);
	if (idle->bitmap < 0 || idle->flags < 0) {
		ret = flt_errmsg_errno(e, -errno, "%s", idle->bitmap < 0 ? BITMAP : FLAGS);
		flt_idle_close(idle);
		return ret;
	}
	*out = idle;
	return 0;
}

void flt_idle_close(struct flt_idle *idle)
{
	if (!idle)
		return;
	if (idle->bitmap >= 0)
		close(idle->bitmap);
	if (idle->flags >= 0)
		close(idle->flags);
	free(idle);
}

/* Only the head of a compound page has an idle bit. */
static int head_of(const struct flt_idle *idle, uint64_t *pfn, bool *counts)
{
	uint64_t flags = 0;
	int ret;

	*counts = *pfn != 0;
	if (!*counts)
		return 0;
	do {
		ret = read_word(idle, idle->flags, FLAGS, *pfn, &flags, counts);
		if (ret || !*counts)
			return ret;
		if (flags & KPF_ZERO_PAGE) {
			*counts = false;
			return 0;
		}
	} while (flags & KPF_COMPOUND_TAIL && (*pfn)--);
	return 0;
}

static int mark(void *arg, uint64_t page, uint64_t entry)
{
	const struct flt_idle *idle = arg;
	uint64_t bit, pfn = entry & FLT_PAGEMAP_PFN;
	bool counts;
	int ret = head_of(idle, &pfn, &counts);

	(void)page;
	if (ret || !counts)
		return ret;
	bit = 1ull << (pfn % 64);
	/* The kernel skips pages that cannot be marked. */
	if (pwrite(idle->bitmap, &bit, 8, (off_t)(pfn / 64 * 8)) != 8)
		return errno == ENXIO ? 0 : flt_errmsg_errno(idle->e, -errno, "%s", BITMAP);
	return 0;
}

static int count(void *arg, uint64_t page, uint64_t entry)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	struct flt_idle *idle = arg;
	struct flt_sample *s = idle->sample;
	uint64_t pfn = entry & FLT_PAGEMAP_PFN;
	bool counts;
	int ret = head_of(idle, &pfn, &counts);

	(void)page;
	if (ret || !counts)
		return ret;
	if (!idle->word_known || idle->word_at != pfn / 64) {
		ret = read_word(idle, idle->bitmap, BITMAP, pfn / 64, &idle->word, &counts);
		if (ret || !counts)
			return ret;
		idle->word_at = pfn / 64;
		idle->word_known = true;
	}
	s->rss += size;
	s->pages++;
	if (!(idle->word >> (pfn % 64) & 1))
		s->referenced += size;
	return 0;
}

int flt_idle_mark(struct flt_idle *idle, uint32_t tgid, struct flt_errmsg *e)
{
	idle->e = e;
	return flt_pagemap_each(tgid, mark, idle, e);
}

int flt_idle_read(struct flt_idle *idle, uint32_t tgid, struct flt_sample *sample,
		  struct flt_errmsg *e)
{
	idle->word_known = false;
	idle->sample = sample;
	idle->e = e;
	sample->has |= FLT_SAMPLE_RSS | FLT_SAMPLE_REFERENCED;
	return flt_pagemap_each(tgid, count, idle, e);
}
