// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_event.c - software page-fault events with a BPF filter on the address.
 *
 * Without the filter, a file fault that the kernel retries would find the signal pending each
 * time and retry for ever.
 */
#include "perf_event.h"

#include "image/image.h"
#include "lib/core/region.h"
#include "recent.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

int rec_perf_event_filter(uint64_t lo, uint64_t hi)
{
	struct bpf_insn code[] = {
		{ BPF_LDX | BPF_MEM | BPF_DW, 2, 1, offsetof(struct bpf_perf_event_data, addr), 0 },
		{ BPF_LD | BPF_IMM | BPF_DW, 3, 0, 0, (int)lo },
		{ 0, 0, 0, 0, (int)(lo >> 32) },
		{ BPF_LD | BPF_IMM | BPF_DW, 4, 0, 0, (int)hi },
		{ 0, 0, 0, 0, (int)(hi >> 32) },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_JLT | BPF_X, 2, 3, 2, 0 },
		{ BPF_JMP | BPF_JGE | BPF_X, 2, 4, 1, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	static const char license[] = "GPL";
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	a.insns = (uintptr_t)code;
	a.insn_cnt = sizeof(code) / sizeof(code[0]);
	a.license = (uintptr_t)license;
	return (int)sys3(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a));
}

void *rec_perf_event_open(int filter, bool kernel, int owner_type, int owner, int sig)
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
	fd = sys5(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
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
	int filter = rec_perf_event_filter(FLT_PAGE, 2 * FLT_PAGE);
	volatile char *page;
	uint64_t pending = 0;
	void *event;

	if (filter < 0)
		return false;
	event = rec_perf_event_open(filter, false, F_OWNER_TID, (int)rec_tid(), sig);
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
