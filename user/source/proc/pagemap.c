// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define BATCH 4096	/* pages per read */

static int each_entry(int pagemap, uint64_t start, uint64_t end, flt_pagemap_fn fn, void *arg)
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
			if (!(entry[i] & FLT_PAGEMAP_PRESENT))
				continue;
			ret = fn(arg, entry[i]);
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
			ret = each_entry(pagemap, start, end, fn, arg);
	fclose(maps);
out:
	close(pagemap);
	return ret;
}
