/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stream.h - page faults from the kernel's perf software events.
 *
 * The engine of `record` where the module is not loaded: every minor and major
 * fault that the kernel accounts with registers, with the user-space call chain
 * that frame pointers give. Needs perf_event_paranoid <= 2 for one's own
 * processes (then without faults in kernel mode), CAP_PERFMON for the rest.
 */
#ifndef FLT_PERF_STREAM_H
#define FLT_PERF_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "text/errmsg.h"

struct flt_sampler_setup {
	const uint32_t *pids;	/* processes, with all their threads; unless all */
	size_t pid_count;
	bool all;		/* the whole machine */
	bool on_exec;		/* start when the (one) process calls exec */
	bool stacks;
	bool dwarf;		/* registers and a piece of the stack instead of a call chain */
	uint32_t max_stack;	/* frames, cut to kernel.perf_event_max_stack; 0: that many */
	uint64_t ring_bytes;	/* per CPU, rounded up to a power of two; 0: 4 MiB */
};

enum flt_perf_type {
	FLT_PERF_FAULT = 1,
	FLT_PERF_MAP,
	FLT_PERF_COMM,
	FLT_PERF_EXEC,		/* the process has a new image; comm is set */
	FLT_PERF_FORK,		/* a new process, or thread if pid == ppid */
	FLT_PERF_EXIT,		/* of one thread */
	FLT_PERF_LOST,		/* `lost` records, most of them faults */
};

/* One event; pointers are good during the call. */
struct flt_perf_event {
	enum flt_perf_type type;
	uint32_t pid, tid;
	uint32_t ppid, ptid;
	uint32_t cpu;
	uint64_t time;		/* CLOCK_MONOTONIC */
	uint64_t lost;
	/* FAULT */
	uint64_t address, ip;
	bool major, kernel, cut;
	const uint64_t *callers;	/* return addresses, innermost first */
	size_t caller_count;
	const uint64_t *regs;		/* by FLT_PERF_REGS, lowest bit first; NULL: none */
	const void *stack;		/* from the stack pointer up */
	size_t stack_size;
	/* MAP */
	uint64_t start, length, offset, inode;
	uint32_t device;	/* major << 20 | minor */
	uint32_t prot, flags;	/* PROT_*, MAP_* */
	const uint8_t *build_id;
	size_t build_id_size;
	/* MAP, COMM, EXEC */
	const char *name;
};

struct flt_sampler;

typedef int (*flt_perf_fn)(void *arg, const struct flt_perf_event *event);

/* Opened disabled (or until exec). */
int flt_sampler_open(struct flt_sampler **sampler, const struct flt_sampler_setup *setup, struct flt_errmsg *e);
int flt_sampler_enable(struct flt_sampler *sampler);
void flt_sampler_disable(struct flt_sampler *sampler);
void flt_sampler_close(struct flt_sampler *sampler);

bool flt_sampler_kernel_mode(const struct flt_sampler *sampler);	/* faults in kernel mode are seen */
uint32_t flt_sampler_max_stack(const struct flt_sampler *sampler);

/* Descriptors to poll for input: one for each CPU. */
size_t flt_sampler_fds(const struct flt_sampler *sampler, const int **fds);

/*
 * Hand over what has arrived, in order of time over all CPUs. What is younger
 * than the call itself stays for the next one, as an older event of another CPU
 * may still be on its way; `all` takes everything (after flt_sampler_disable()).
 */
int flt_sampler_drain(struct flt_sampler *sampler, bool all, flt_perf_fn fn, void *arg);

/* Faults the kernel counted for these events: delivered plus lost. */
int flt_sampler_count(const struct flt_sampler *sampler, uint64_t *count);

/* User registers taken with a stack, as bits of enum perf_event_x86_regs: all but segments and flags. */
#define FLT_PERF_REGS 0xff01ffull
#define FLT_PERF_REG_COUNT 17
#define FLT_PERF_STACK_BYTES 8192u

/* ---- decoding, for perf_stream.c and tests ---- */

struct perf_event_header;

struct flt_perf_layout {
	bool stacks, dwarf;
	uint32_t max_stack;
	const uint64_t *major_ids;	/* of the events that count major faults */
	size_t major_id_count;
};

/* 1: *event is filled; 0: a record of no interest; -EBADMSG: malformed. */
int flt_perf_decode(const struct flt_perf_layout *layout, const struct perf_event_header *record,
		    struct flt_perf_event *event);
/* The time of a record, 0 if it has none. */
uint64_t flt_perf_record_time(const struct perf_event_header *record);

#endif
