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

#include "source/perf/event.h"
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

struct flt_sampler;

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

#endif
