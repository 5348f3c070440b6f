// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * start.c - make this process a recorded one.
 *
 * Recording starts at the first mmap() after libc knows its environment. That is the first
 * mmap() of the heap, so the whole heap is limited. If the heap does not call mmap() so early,
 * the constructor starts to record.
 */
#include "start.h"

#include "fork.h"
#include "image/clock.h"
#include "image/image.h"
#include "image/socket.h"
#include "image/textfile.h"
#include "region/region.h"
#include "setup.h"
#include "signal/handler.h"
#include "signal/lifetime.h"
#include "thread/thread.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Return the number of seccomp filters of this process. The dynamic linker opens and reads files
 * as well, so filters allow that. 0 if /proc is missing.
 */
static unsigned int count_filters(void)
{
	static const char *const key[] = { "\nSeccomp_filters:", "\nSeccomp:" };
	unsigned int n = 0;
	char text[4096];
	const char *p = NULL;

	rec_textfile_read("/proc/self/status", text, sizeof(text));
	for (int i = 0; i < 2 && !p; i++) {
		p = strstr(text, key[i]);
		p = p ? p + strlen(key[i]) : NULL;
	}
	while (p && (*p == ' ' || *p == '\t'))
		p++;
	while (p && *p >= '0' && *p <= '9')
		n = n * 10 + (unsigned int)(*p++ - '0');
	return n;
}

/* Of the linker: the variables of this library that are not in its file, and jemalloc's. */
extern char __bss_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));

/*
 * Keep huge pages from the variables of this library. jemalloc has a table of two MiB, of which
 * most programs touch a few pages.
 */
static void refuse_huge_pages(void)
{
	uintptr_t from = ((uintptr_t)__bss_start + FLT_PAGE - 1) & ~(FLT_PAGE - 1);
	uintptr_t to = ((uintptr_t)_end + FLT_PAGE - 1) & ~(FLT_PAGE - 1);

	sys3(SYS_madvise, from, to - from, MADV_NOHUGEPAGE);
}

/* Close the filter if this kernel or an option forbids path A. */
static void drop_filter(void)
{
	if (rec_threads.inlined || rec_threads.filter < 0)
		return;
	sys1(SYS_close, rec_threads.filter);
	rec_threads.filter = -EOPNOTSUPP;
}

void rec_start(void)
{
	/* Not 0, so that it is in the file. To touch another variable could take a huge page. */
	static uint32_t waiting = 1;
	uint64_t signals;
	int fd;

	if (!__atomic_exchange_n(&waiting, 0, __ATOMIC_ACQ_REL))
		return;
	/* The image that executed this one has counted it: see hook/exec.c. */
	if (count_filters() > rec_socket_filters())
		return;
	refuse_huge_pages();
	rec_clock_init();
	fd = rec_socket_connect();
	if (fd < 0)
		return;
	rec_fork_install();
	signals = sys_block_signals();
	rec_image.pid = (int)sys0(SYS_getpid);
	if (rec_image_init()) {
		rec_socket_refuse(fd, rec_image.pid, "cannot map memory");
		sys1(SYS_close, fd);
	} else if (!rec_setup(fd, 0, 0)) {
		rec_handler_install(false);
		drop_filter();
		rec_image_set_ready(true);
	} else {
		/* Nobody reads the userfaultfd: a fault or a fork would wait for ever. */
		rec_region_close();
		rec_setup_unmap();
	}
	sys_restore_signals(signals);
	if (rec_image_is_ready())
		rec_lifetime_begin_main();
}

/* Libraries may have mapped memory before. From here on all mappings are seen. */
__attribute__((constructor(101))) static void construct(void)
{
	rec_start();
}
