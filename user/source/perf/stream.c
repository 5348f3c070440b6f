// SPDX-License-Identifier: GPL-2.0-or-later
/* Open perf events and their rings. */
#include "source/perf/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recent.h"
#include "source/perf/grace.h"
#include "source/perf/sampler.h"
#include "source/proc/machine.h"
#include "source/proc/procfs.h"

#define RING_BYTES (4u << 20)
#define RING_BYTES_LEAST (64u << 10)

static int event_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void attr_init(struct perf_event_attr *attr, const struct flt_sampler *p,
		      const struct flt_sampler_setup *setup)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			    PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;
	attr->disabled = 1;
	attr->inherit = !setup->all;
	attr->enable_on_exec = setup->on_exec;
	attr->exclude_kernel = !p->kernel_mode;
	attr->exclude_hv = 1;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	if (setup->stacks && setup->dwarf) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = FLT_PERF_REGS;
		attr->sample_stack_user = FLT_PERF_STACK_BYTES;
	} else if (setup->stacks) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->exclude_callchain_kernel = 1;
		attr->sample_max_stack = (uint16_t)p->layout.max_stack;
	}
}

static int fd_keep(struct flt_sampler *p, int fd)
{
	int *fds = reallocarray(p->fds, p->fd_count + 1, sizeof(*fds));

	if (!fds) {
		close(fd);
		return -ENOMEM;
	}
	p->fds = fds;
	p->fds[p->fd_count++] = fd;
	return 0;
}

static int major_keep(struct flt_sampler *p, int fd)
{
	uint64_t *ids = reallocarray(p->major_ids, p->layout.major_id_count + 1, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	p->major_ids = ids;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &ids[p->layout.major_id_count]))
		return -errno;
	p->layout.major_id_count++;
	p->layout.major_ids = ids;
	return 0;
}

/*
 * Map a ring of `bytes`, or the largest ring that is allowed: locked memory is limited for users
 * without CAP_IPC_LOCK.
 */
static int ring_map(struct flt_perf_ring *ring, int fd, uint64_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size;
	void *at;

	for (size = RING_BYTES_LEAST; size < bytes; size *= 2)
		;
	for (; size >= RING_BYTES_LEAST; size /= 2) {
		at = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at != MAP_FAILED) {
			ring->fd = fd;
			ring->page = at;
			ring->data = (unsigned char *)at + page;
			ring->size = size;
			return 0;
		}
		if (errno != EPERM && errno != ENOMEM)
			return -errno;
	}
	return -EPERM;
}

/* Open the events of minor and major faults of one thread (-1: of all) with the CPU's ring. */
static int pair_open(struct flt_sampler *p, const struct flt_sampler_setup *setup, pid_t tid,
		     int cpu)
{
	const uint64_t bytes = setup->ring_bytes ? setup->ring_bytes : RING_BYTES;
	const size_t index = (size_t)cpu;
	struct flt_perf_ring *ring = &p->rings[index];
	struct perf_event_attr attr;
	int i, fd, err;

	for (i = 0; i < 2; i++) {
		attr_init(&attr, p, setup);
		attr.config = i ? PERF_COUNT_SW_PAGE_FAULTS_MAJ : PERF_COUNT_SW_PAGE_FAULTS_MIN;
		attr.wakeup_watermark = RING_BYTES_LEAST / 2;
		if (!i) {
			attr.mmap = attr.mmap2 = attr.mmap_data = 1;
			attr.comm = attr.comm_exec = attr.task = 1;
			if (p->build_id)
				perf_attr_set(&attr, PERF_ATTR_BUILD_ID);
		}
		fd = event_open(&attr, tid, cpu);
		if (fd < 0)
			return fd;
		err = fd_keep(p, fd);
		if (err)
			return err;
		if (i) {
			err = major_keep(p, fd);
			if (err)
				return err;
		}
		if (!ring->page) {
			err = ring_map(ring, fd, bytes);
			if (err)
				return err;
		} else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd)) {
			return -errno;
		}
		p->ring_fds[index] = ring->fd;
	}
	return 0;
}

struct opening {
	struct flt_sampler *sampler;
	const struct flt_sampler_setup *setup;
	size_t opened;
};

/* Skip threads that have ended and CPUs that are offline. */
static int thread_open(void *arg, uint32_t tid)
{
	struct opening *o = arg;
	size_t cpu;
	int err = 0;

	for (cpu = 0; cpu < o->sampler->ring_count && !err; cpu++) {
		err = pair_open(o->sampler, o->setup, (pid_t)tid, (int)cpu);
		if (err == -ESRCH || err == -ENODEV)
			err = 0;
		else if (!err)
			o->opened++;
	}
	return err;
}

/* Open all events. *at receives the process of the last attempt, or 0. */
static int events_open(struct flt_sampler *p, const struct flt_sampler_setup *setup, uint32_t *at)
{
	struct opening o = { p, setup, 0 };
	size_t i;
	int err = 0;

	for (i = 0; setup->all && i < p->ring_count && !err; i++) {
		err = pair_open(p, setup, -1, (int)i);
		if (err == -ENODEV)
			err = 0;
		else if (!err)
			o.opened++;
	}
	*at = 0;
	for (i = 0; !setup->all && i < setup->pid_count && !err; i++) {
		*at = setup->pids[i];
		err = flt_procfs_each(*at, thread_open, &o);
	}
	return err ? err : o.opened ? 0 : -ESRCH;
}

static void events_close(struct flt_sampler *p)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;

	for (i = 0; i < p->ring_count; i++) {
		if (p->rings[i].page)
			munmap(p->rings[i].page, p->rings[i].size + page);
		memset(&p->rings[i], 0, sizeof(p->rings[i]));
		p->ring_fds[i] = -1;
	}
	for (i = 0; i < p->fd_count; i++)
		close(p->fds[i]);
	p->fd_count = 0;
	p->layout.major_id_count = 0;
}

static uint32_t max_stack_allowed(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	unsigned int n = 127;

	if (file) {
		if (fscanf(file, "%u", &n) != 1)
			n = 127;
		fclose(file);
	}
	return n;
}

/* Return true if every user may observe the faults of own processes. */
static bool may_observe_own(void)
{
	int64_t paranoid;

	return !flt_machine_number("/proc/sys/kernel/perf_event_paranoid", &paranoid) &&
	       paranoid <= 2;
}

/* Explain the error of the events of a process; at is 0 for those of the whole machine. */
static int open_failed(const struct flt_sampler_setup *setup, uint32_t at, int err,
		       struct flt_errmsg *e)
{
	switch (err) {
	case -EACCES:
		if (at && !setup->on_exec && may_observe_own())
			return flt_errmsg_set(e, err, "cannot observe process %" PRIu32 ": it "
					      "belongs to another user or has more rights (run as "
					      "root)", at);
		/* fall through */
	case -EPERM:
		return flt_errmsg_set(e, err, "cannot use perf events%s: run as root or with "
				      "CAP_PERFMON, or set kernel.perf_event_paranoid to %d",
				      setup->all ? " of the whole machine" : "",
				      setup->all ? 0 : 2);
	case -ESRCH:
		return flt_errmsg_set(e, err, "invalid PID %" PRIu32 ": no such process", at);
	case -EMFILE:
		return flt_errmsg_set(e, err, "cannot open an event per thread and CPU: raise the "
				      "limit of open files with ulimit -n");
	case -ENOSYS:
	case -ENOENT:
		return flt_errmsg_set(e, -EOPNOTSUPP, "missing perf software events: use a kernel "
				      "with CONFIG_PERF_EVENTS");
	default:
		return flt_errmsg_errno(e, err, "cannot open perf page-fault events");
	}
}

int flt_sampler_open(struct flt_sampler **out, const struct flt_sampler_setup *setup,
		     struct flt_errmsg *e)
{
	struct flt_sampler *p = calloc(1, sizeof(*p));
	uint32_t allowed = max_stack_allowed(), at = 0;
	int err = -ENOMEM, attempt;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (!p)
		return -ENOMEM;
	p->layout.stacks = setup->stacks;
	p->layout.dwarf = setup->dwarf;
	p->layout.max_stack = allowed;
	if (setup->max_stack && setup->max_stack < allowed)
		p->layout.max_stack = setup->max_stack;
	p->ring_count = cpus > 0 ? (size_t)cpus : 1;
	p->rings = calloc(p->ring_count, sizeof(*p->rings));
	p->ring_fds = malloc(p->ring_count * sizeof(*p->ring_fds));
	if (!p->rings || !p->ring_fds)
		goto err_free;
	events_close(p);
	err = flt_grace_new(&p->grace);
	if (err)
		goto err_free;

	/* Faults in kernel mode need CAP_PERFMON. Build-ids of mappings need Linux 5.12. */
	p->kernel_mode = p->build_id = true;
	for (attempt = 0; attempt < 3; attempt++) {
		err = events_open(p, setup, &at);
		if (!err)
			break;
		events_close(p);
		if ((err == -EACCES || err == -EPERM) && p->kernel_mode)
			p->kernel_mode = false;
		else if (err == -EINVAL && p->build_id)
			p->build_id = false;
		else
			break;
	}
	if (err) {
		err = open_failed(setup, at, err, e);
		goto err_free;
	}
	*out = p;
	return 0;

err_free:
	flt_sampler_close(p);
	return err;
}

void flt_sampler_close(struct flt_sampler *p)
{
	if (!p)
		return;
	if (p->rings && p->ring_fds)
		events_close(p);
	flt_grace_free(p->grace);
	free(p->rings);
	free(p->ring_fds);
	free(p->fds);
	free(p->major_ids);
	free(p->pending);
	free(p);
}

int flt_sampler_enable(struct flt_sampler *p)
{
	size_t i;

	for (i = 0; i < p->fd_count; i++)
		if (ioctl(p->fds[i], PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	return 0;
}

void flt_sampler_disable(struct flt_sampler *p)
{
	size_t i;

	for (i = 0; i < p->fd_count; i++)
		ioctl(p->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

bool flt_sampler_kernel_mode(const struct flt_sampler *p)
{
	return p->kernel_mode;
}

uint32_t flt_sampler_max_stack(const struct flt_sampler *p)
{
	return p->layout.max_stack;
}

size_t flt_sampler_fds(const struct flt_sampler *p, const int **fds)
{
	*fds = p->ring_fds;
	return p->ring_count;
}

int flt_sampler_count(const struct flt_sampler *p, uint64_t *count)
{
	uint64_t value;
	size_t i;

	*count = 0;
	for (i = 0; i < p->fd_count; i++) {
		if (read(p->fds[i], &value, sizeof(value)) != sizeof(value))
			return -errno;
		*count += value;
	}
	return 0;
}
