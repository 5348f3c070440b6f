// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/softdirty.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/proc/pagemap.h"
#include "source/proc/smaps.h"

/* A new mapping is soft-dirty on kernels with soft-dirty bits, so test a mapping of ours. */
int flt_softdirty_available(struct flt_errmsg *e)
{
	const long page = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t entry = 0;
	int fd, ret = 0;

	if (p == MAP_FAILED)
		return -errno;
	*p = 1;
	fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &entry, 8, (off_t)((uintptr_t)p / (uintptr_t)page * 8)) != 8)
		ret = flt_errmsg_errno(e, -EOPNOTSUPP, "/proc/self/pagemap");
	else if (!(entry & FLT_PAGEMAP_SOFT_DIRTY))
		ret = flt_errmsg_set(e, -EOPNOTSUPP, "this kernel does not mark written pages "
				     "(it needs CONFIG_MEM_SOFT_DIRTY)");
	if (fd >= 0)
		close(fd);
	munmap((void *)(uintptr_t)p, (size_t)page);
	return ret;
}

int flt_softdirty_clear(uint32_t tgid, struct flt_errmsg *e)
{
	return flt_smaps_clear(tgid, FLT_CLEAR_WRITTEN, e);
}

static int count(void *arg, uint64_t page, uint64_t entry)
{
	(void)page;
	*(uint64_t *)arg += (entry & FLT_PAGEMAP_SOFT_DIRTY) != 0;
	return 0;
}

int flt_softdirty_read(uint32_t tgid, uint64_t *bytes, struct flt_errmsg *e)
{
	uint64_t pages = 0;
	int ret = flt_pagemap_each(tgid, count, &pages, e);

	*bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return ret;
}
