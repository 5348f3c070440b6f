/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - page faults from the kernel's perf software events.
 *
 * `record` uses them if the module is not loaded. They report each minor and major fault that the
 * kernel accounts with registers, and its user-space stack. Processes of the same user need
 * perf_event_paranoid <= 2, and then show no faults in kernel mode. All others need CAP_PERFMON.
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
	const uint32_t *pids;	/* processes with all their threads; ignored with `all` */
	size_t pid_count;
	bool all;		/* the whole machine */
	bool on_exec;		/* start when the only process calls exec */
	bool stacks;
	bool dwarf;		/* sample registers and a copy of the stack, not a call chain */
	/* Maximum number of frames, bounded by kernel.perf_event_max_stack. 0: the bound. */
	uint32_t max_stack;
	uint64_t ring_bytes;	/* per CPU, rounded up to a power of two; 0: 4 MiB */
};

struct flt_sampler;

/* Open the events, disabled until flt_sampler_enable() or the exec. */
int flt_sampler_open(struct flt_sampler **sampler, const struct flt_sampler_setup *setup,
		     struct flt_errmsg *e);
int flt_sampler_enable(struct flt_sampler *sampler);
void flt_sampler_disable(struct flt_sampler *sampler);
void flt_sampler_close(struct flt_sampler *sampler);

/* Return true if faults in kernel mode are reported. */
bool flt_sampler_kernel_mode(const struct flt_sampler *sampler);
uint32_t flt_sampler_max_stack(const struct flt_sampler *sampler);

/* Set *fds to the descriptors to poll for input, and return their number: one per CPU. */
size_t flt_sampler_fds(const struct flt_sampler *sampler, const int **fds);

/*
 * Empty the rings, and hand over events in order of time across CPUs. Events stay for the next
 * call if another CPU may still be writing an older one (grace.h). With `all`, wait for such
 * writers, and hand over everything; call flt_sampler_disable() first.
 */
int flt_sampler_drain(struct flt_sampler *sampler, bool all, flt_perf_fn fn, void *arg);

/* Read the number of faults that the kernel counted: delivered and lost. */
int flt_sampler_count(const struct flt_sampler *sampler, uint64_t *count);

#endif
