// SPDX-License-Identifier: GPL-2.0-or-later
/* setup.c - userfaultfd, region, tables, server. */
#include "setup.h"

#include "image/descriptor.h"
#include "image/image.h"
#include "image/socket.h"
#include "lib/core/uffd.h"
#include "pager/errand.h"
#include "pager/grant.h"
#include "pager/pagemap.h"
#include "region/extent.h"
#include "region/freeze.h"
#include "region/region.h"
#include "region/shadow.h"
#include "server/spawn.h"
#include "signal/handler.h"
#include "signal/lifetime.h"
#include "thread/page_filter.h"
#include "thread/solo.h"
#include "thread/thread.h"
#include "trace/trie.h"
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* At the end of the region: the mark, the pages of errands, and the barrier. */
#define OWN_PAGES (REC_ERRAND_PAGES + 2)

static int open_uffd(void)
{
	uint64_t base = UFFD_FEATURE_EVENT_FORK | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_THREAD_ID;
	uint64_t wanted[] = {
		base | UFFD_FEATURE_EXACT_ADDRESS | UFFD_FEATURE_MOVE,	/* 6.8 */
		base | UFFD_FEATURE_EXACT_ADDRESS,			/* 5.18 */
		base,
	};
	struct uffdio_api api;
	long fd, ret = 0;

	if (rec_image.config.flags & FLT_REC_NO_MOVE)
		wanted[0] = wanted[1];
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		fd = sys1(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return (int)fd;
		api = (struct uffdio_api){ .api = UFFD_API, .features = wanted[i] };
		ret = sys3(SYS_ioctl, fd, UFFDIO_API, &api);
		if (!ret) {
			rec_shadow.can_move = wanted[i] & UFFD_FEATURE_MOVE;
			return rec_descriptor_raise((int)fd);
		}
		sys1(SYS_close, fd);
	}
	return (int)ret;
}

static int map_region(void)
{
	size_t pages = 0, bytes;
	long m = -ENOMEM;
	uintptr_t base;
	int ret;

	/* Region and shadow. Address space is free, unless it is limited. */
	for (uint32_t room = rec_image.config.room; room < FLT_REC_ROOMS && sys_failed(m); room++) {
		pages = flt_rec_region_pages(rec_image.config.max_pages, (enum flt_rec_room)room,
					     FLT_PAGE);
		m = (long)sys_mmap(NULL, 2 * pages * FLT_PAGE + FLT_REC_ALIGN,
				   PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	}
	if (sys_failed(m))
		return (int)m;
	bytes = pages * FLT_PAGE;
	base = ((uintptr_t)m + FLT_REC_ALIGN - 1) & ~(FLT_REC_ALIGN - 1);
	sys3(SYS_madvise, base, 2 * bytes, MADV_NOHUGEPAGE);
	ret = flt_region_create(&rec_region, base, pages);
	if (ret)
		return ret;
	rec_shadow.distance = bytes;
	rec_freeze.barrier = rec_page_address(pages - 1);
	rec_freeze.mark = rec_page_address(pages - OWN_PAGES);
	for (size_t i = pages - OWN_PAGES; i < pages; i++)
		rec_page_reset(i, PAGE_EMPTY);
	return rec_extent_init(pages - OWN_PAGES);
}

void rec_setup_unmap(void)
{
	if (rec_region.count)
		sys2(SYS_munmap, rec_region.base, 2 * rec_region.count * FLT_PAGE);
	rec_region.count = 0;
}

static int register_region(void)
{
	uintptr_t base = rec_region.base;
	size_t bytes = rec_region.count * FLT_PAGE;
	int ret;

	if (!rec_shadow.can_move)
		return uffd_register(rec_region.uffd, base, bytes,
				     UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP);
	ret = uffd_register(rec_region.uffd, base, bytes, UFFDIO_REGISTER_MODE_MISSING);
	if (!ret)
		ret = uffd_register(rec_region.uffd, base + rec_shadow.distance, bytes,
				    UFFDIO_REGISTER_MODE_MISSING);
	return ret;
}

/* Say hello. Return 0 with configuration and up to two descriptors (-1 = none), or -errno. */
static int introduce(int socket, uint64_t child_of, uint64_t seq, int pass[2])
{
	struct flt_rec_message m = { .type = FLT_REC_HELLO, .pid = rec_image.pid,
				     .image = child_of, .fork_seq = seq };
	int ret;

	ret = rec_socket_send(socket, &m, -1);
	if (!ret)
		ret = rec_socket_receive(socket, &m, pass, true);
	if (ret != 1)
		return ret ? ret : -EPROTO;
	if (m.type != FLT_REC_CONFIG || pass[0] < 0)
		return -EPROTO;
	rec_image.config = m.config;
	rec_image.id = m.image;
	return 0;
}

static int take_region_over(void)
{
	return rec_region.uffd < 0 ? -ENODATA : rec_pagemap_rebuild();
}

static bool has_limit(unsigned int resource)
{
	struct rlimit l = { .rlim_cur = RLIM_INFINITY };

	sys4(SYS_prlimit64, 0, resource, 0, &l);
	return l.rlim_cur != RLIM_INFINITY;
}

static int make_region(const char **step)
{
	int ret;

	*step = "open a userfaultfd";
	ret = open_uffd();
	if (ret < 0)
		return ret;
	rec_region.uffd = ret;
	*step = has_limit(RLIMIT_AS) || has_limit(RLIMIT_DATA) ?
		"map the region: ulimit -v or -d is too low (raise it, or use a smaller -M)" :
		"map the region";
	ret = map_region();
	if (ret)
		return ret;
	*step = "register the region";
	return register_region();
}

/* Load the BPF program of path A. A forked child has that of its parent, if that suits it. */
static void load_filter(void)
{
	if (rec_threads.filter >= 0)
		return;
	rec_threads.filter = -EOPNOTSUPP;
	if (rec_handler_is_possible())
		rec_threads.filter = rec_descriptor_raise(
			rec_page_filter_load_range(rec_region.base, rec_region_end()));
}

static int run_steps(int socket, uint64_t child_of, uint64_t seq, const char **step)
{
	int pass[2], ret;

	*step = "talk to fltctl";
	ret = introduce(socket, child_of, seq, pass);
	if (ret)
		return ret;
	/* First, because whatever fails later, the child has to take its pages back by it. */
	if (child_of && pass[1] >= 0)
		rec_region.uffd = rec_descriptor_raise(pass[1]);
	*step = "map the ring";
	ret = rec_writer_open(pass[0]);
	sys1(SYS_close, pass[0]);
	if (ret)
		return ret;
	*step = "take over from the parent";
	ret = child_of ? take_region_over() : make_region(step);
	if (ret)
		return ret;
	rec_region.limit = rec_image.config.limit_pages;
	rec_region.clock = rec_image.config.policy == FLT_REC_CLOCK;
	*step = "set up tables";
	rec_region.memory = (int)sys4(SYS_openat, AT_FDCWD, "/proc/self/mem", O_CLOEXEC, 0);
	if (rec_region.memory >= 0)
		rec_region.memory = rec_descriptor_raise(rec_region.memory);
	ret = rec_trie_init();
	if (ret)
		return ret;
	if (!child_of)
		rec_threads.filter = -EBADF;
	load_filter();
	if (rec_grant_is_possible())
		rec_grant_begin(rec_handler_renew);
	rec_solo_prepare(rec_lifetime_arm_solo, rec_lifetime_disarm_solo);
	*step = "start the fault server: children get another PID namespace (use unshare --fork)";
	if (rec_spawn_is_outside())
		return -EXDEV;
	*step = "start the fault server";
	return rec_spawn_server(socket);
}

int rec_setup(int socket, uint64_t child_of, uint64_t seq)
{
	const char *step;
	int ret = run_steps(socket, child_of, seq, &step);

	if (ret)
		rec_socket_refuse(socket, rec_image.pid, step);
	sys1(SYS_close, socket);	/* the server has its own */
	return ret;
}
