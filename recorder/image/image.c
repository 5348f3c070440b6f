// SPDX-License-Identifier: GPL-2.0-or-later
/* image.c - the one image of this process. */
#include "image.h"

#include "lib/core/region.h"

#include <sys/mman.h>

struct rec_image rec_image;
__thread uint32_t rec_image_tid;

int rec_image_init(void)
{
	uint32_t *ready;
	long ret;

	if (rec_image.ready)
		return 0;
	ready = sys_mmap(NULL, FLT_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);
	if (sys_failed((long)ready))
		return (int)(long)ready;
	ret = sys3(SYS_madvise, ready, FLT_PAGE, MADV_WIPEONFORK);
	if (!sys_failed(ret))
		rec_image.ready = ready;
	return (int)ret;
}

void rec_image_set_ready(bool ready)
{
	__atomic_store_n(rec_image.ready, ready, __ATOMIC_RELEASE);
}
