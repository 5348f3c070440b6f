// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_event.c - software page-fault events with a BPF filter on the address. */
#include "perf_event.h"

#include "image/image.h"
#include "lib/core/region.h"
#include "recent.h"
#include "thread/page_filter.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

void *rec_perf_event_open(uint32_t tid, int filter, bool kernel, int owner_type, int owner,
			  int sig)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(a),
		.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1,
		.sample_type = PERF_SAMPLE_ADDR, .wakeup_events = 1,
		.exclude_user = kernel, .exclude_kernel = !kernel,
	};
	struct f_owner_ex to = { owner_type, owner };
	void *m = NULL;
	long fd;

	/*
	 * The server keeps the old memory, and with it this event, after an exec. The new image
	 * has no handler, and other mappings at these addresses.
	 */
	perf_attr_set(&a, PERF_ATTR_REMOVE_ON_EXEC);
	fd = sys5(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (sys3(SYS_ioctl, fd, PERF_EVENT_IOC_SET_BPF, filter) >= 0 &&
	    sys3(SYS_fcntl, fd, F_SETOWN_EX, &to) >= 0 &&
	    sys3(SYS_fcntl, fd, F_SETSIG, sig) >= 0 &&
	    sys3(SYS_fcntl, fd, F_SETFL, O_RDONLY | O_ASYNC) >= 0) {
		m = sys_mmap(NULL, FLT_PAGE, PROT_READ, MAP_SHARED, (int)fd, 0);
		if (sys_failed((long)m))
			m = NULL;
	}
	sys1(SYS_close, fd);
	return m;
}

void rec_perf_event_close(void **event)
{
	void *m = __atomic_exchange_n(event, NULL, __ATOMIC_ACQ_REL);

	if (m)
		sys2(SYS_munmap, m, FLT_PAGE);
}

bool rec_perf_event_is_filtered(int sig)
{
	/* Nothing is ever mapped there. */
	int filter = rec_page_filter_load_range(FLT_PAGE, 2 * FLT_PAGE);
	volatile char *page;
	uint64_t pending = 0;
	void *event;

	if (filter < 0)
		return false;
	event = rec_perf_event_open(rec_tid(), filter, false, F_OWNER_TID, (int)rec_tid(), sig);
	sys1(SYS_close, filter);
	if (!event)
		return false;
	page = sys_mmap(NULL, FLT_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sys_failed((long)page)) {
		*page = 1;
		sys2(SYS_munmap, page, FLT_PAGE);
	}
	rec_perf_event_close(&event);
	sys2(SYS_rt_sigpending, &pending, 8);
	return !(pending >> (sig - 1) & 1);
}
