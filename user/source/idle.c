// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/idle.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BITMAP "/sys/kernel/mm/page_idle/bitmap"
#define BATCH 4096	/* pages of a mapping at a time */

#define PM_PRESENT (1ull << 63)
#define PM_PFN ((1ull << 55) - 1)
#define KPF_COMPOUND_HEAD (1ull << 15)
#define KPF_COMPOUND_TAIL (1ull << 16)
#define KPF_ZERO_PAGE (1ull << 24)

struct flt_idle {
	int bitmap, flags;
	uint64_t entry[BATCH];
	/* One word of the bitmap, as long as neighbours fall into it. */
	uint64_t word_at, word;
	bool word_known;
};

int flt_idle_open(struct flt_idle **out, struct flt_errmsg *e)
{
	struct flt_idle *idle;
	int ret;

	if (access(BITMAP, F_OK))
		return flt_errmsg_set(e, -EOPNOTSUPP, "this kernel has no " BITMAP
				      " (CONFIG_IDLE_PAGE_TRACKING; no Debian kernel has); "
				      "scan tells the same of a process");
	idle = calloc(1, sizeof(*idle));
	if (!idle)
		return -ENOMEM;
	idle->bitmap = open(BITMAP, O_RDWR | O_CLOEXEC);
	idle->flags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	if (idle->bitmap < 0 || idle->flags < 0) {
		ret = flt_errmsg_errno(e, -errno, "%s", idle->bitmap < 0 ? BITMAP : "/proc/kpageflags");
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

typedef int (*page_fn)(struct flt_idle *idle, uint64_t pfn, void *arg);

static int each_entry(struct flt_idle *idle, int pagemap, uint64_t start, uint64_t end, page_fn fn,
		      void *arg)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t at, n, i;
	ssize_t got;
	int ret;

	for (at = start / page; at < end / page; at += n) {
		n = end / page - at < BATCH ? end / page - at : BATCH;
		got = pread(pagemap, idle->entry, n * 8, (off_t)(at * 8));
		if (got <= 0)
			return 0;	/* unmapped since, or beyond the end (vsyscall) */
		n = (uint64_t)got / 8;
		for (i = 0; i < n; i++) {
			if (!(idle->entry[i] & PM_PRESENT) || !(idle->entry[i] & PM_PFN))
				continue;
			ret = fn(idle, idle->entry[i] & PM_PFN, arg);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int each_page(struct flt_idle *idle, uint32_t tgid, page_fn fn, void *arg, struct flt_errmsg *e)
{
	uint64_t start, end;
	char path[64], line[512];
	FILE *maps;
	int pagemap, ret = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/pagemap", tgid);
	pagemap = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", tgid);
	maps = fopen(path, "re");
	if (pagemap < 0 || !maps) {
		ret = flt_errmsg_errno(e, errno == ENOENT ? -ESRCH : -errno, "%s", path);
		goto out;
	}
	while (!ret && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2 && start < end)
			ret = each_entry(idle, pagemap, start, end, fn, arg);
out:
	if (maps)
		fclose(maps);
	if (pagemap >= 0)
		close(pagemap);
	return ret;
}

/* Marks are kept for the head of a compound page only. */
static int head_of(const struct flt_idle *idle, uint64_t *pfn, bool *counts)
{
	uint64_t flags = 0;

	*counts = true;
	do {
		if (pread(idle->flags, &flags, 8, (off_t)(*pfn * 8)) != 8)
			return -EIO;
		if (flags & KPF_ZERO_PAGE)
			*counts = false;
	} while (flags & KPF_COMPOUND_TAIL && (*pfn)--);
	return 0;
}

static int mark(struct flt_idle *idle, uint64_t pfn, void *arg)
{
	bool counts;
	uint64_t bit;
	int ret = head_of(idle, &pfn, &counts);

	(void)arg;
	if (ret || !counts)
		return ret;
	bit = 1ull << (pfn % 64);
	/* Pages that cannot be marked are passed over by the kernel. */
	if (pwrite(idle->bitmap, &bit, 8, (off_t)(pfn / 64 * 8)) != 8)
		return errno == ENXIO ? 0 : -errno;
	return 0;
}

static int count(struct flt_idle *idle, uint64_t pfn, void *arg)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct flt_sample *s = arg;
	bool counts;
	int ret = head_of(idle, &pfn, &counts);

	if (ret || !counts)
		return ret;
	s->rss += page;
	s->pages++;
	if (!idle->word_known || idle->word_at != pfn / 64) {
		if (pread(idle->bitmap, &idle->word, 8, (off_t)(pfn / 64 * 8)) != 8)
			return -EIO;
		idle->word_at = pfn / 64;
		idle->word_known = true;
	}
	if (!(idle->word >> (pfn % 64) & 1))
		s->referenced += page;
	return 0;
}

int flt_idle_mark(struct flt_idle *idle, uint32_t tgid, struct flt_errmsg *e)
{
	return each_page(idle, tgid, mark, NULL, e);
}

int flt_idle_read(struct flt_idle *idle, uint32_t tgid, struct flt_sample *sample,
		  struct flt_errmsg *e)
{
	idle->word_known = false;
	sample->has |= FLT_SAMPLE_RSS | FLT_SAMPLE_REFERENCED;
	return each_page(idle, tgid, count, sample, e);
}
