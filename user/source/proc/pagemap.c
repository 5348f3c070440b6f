// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BATCH 4096	/* pages per read */

/* include/uapi/linux/fs.h since Linux 6.7 */
struct scan_region {
	__u64 start, end, categories;
};

struct scan_arg {
	__u64 size, flags, start, end, walk_end, vec, vec_len, max_pages;
	__u64 category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN_IOCTL _IOWR('f', 16, struct scan_arg)
#define REGIONS 256

int flt_pagemap_read(int pagemap, uint64_t start, uint64_t end, uint64_t bits, flt_pagemap_fn fn,
		     void *arg)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t at, n, i, entry[BATCH];
	ssize_t got;
	int ret;

	for (at = start / page; at < end / page; at += n) {
		n = end / page - at < BATCH ? end / page - at : BATCH;
		got = pread(pagemap, entry, n * 8, (off_t)(at * 8));
		if (got <= 0)
			return 0;	/* unmapped meanwhile, or above the end (vsyscall) */
		n = (uint64_t)got / 8;
		for (i = 0; i < n; i++) {
			if (!(entry[i] & bits))
				continue;
			ret = fn(arg, at + i, entry[i]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int flt_pagemap_each(uint32_t tgid, flt_pagemap_fn fn, void *arg, struct flt_errmsg *e)
{
	uint64_t start, end;
	char path[64], line[512];
	FILE *maps;
	int pagemap, ret = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/pagemap", tgid);
	pagemap = open(path, O_RDONLY | O_CLOEXEC);
	if (pagemap < 0)
		return flt_errmsg_errno(e, errno == ENOENT ? -ESRCH : -errno, "%s", path);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", tgid);
	maps = fopen(path, "re");
	if (!maps) {
		ret = flt_errmsg_errno(e, errno == ENOENT ? -ESRCH : -errno, "%s", path);
		goto out;
	}
	while (!ret && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2 && start < end)
			ret = flt_pagemap_read(pagemap, start, end, FLT_PAGEMAP_PRESENT, fn, arg);
	fclose(maps);
out:
	close(pagemap);
	return ret;
}

int flt_pagemap_scan(int pagemap, uint64_t start, uint64_t end, unsigned int categories,
		     int (*fn)(void *arg, uint64_t start, uint64_t end), void *arg)
{
	struct scan_region region[REGIONS];
	struct scan_arg scan = {
		.size = sizeof(scan), .start = start, .end = end,
		.vec = (uintptr_t)region, .vec_len = REGIONS,
		.category_anyof_mask = categories, .return_mask = categories,
	};
	int n, i, ret = 0;

	while (!ret && scan.start < scan.end) {
		n = ioctl(pagemap, SCAN_IOCTL, &scan);
		if (n < 0)
			return scan.start == start ? -EOPNOTSUPP : -errno;
		for (i = 0; !ret && i < n; i++)
			ret = fn(arg, region[i].start, region[i].end);
		scan.start = scan.walk_end;
	}
	return ret;
}
