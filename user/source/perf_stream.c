// SPDX-License-Identifier: GPL-2.0-or-later
/* Page faults from perf: opening, the rings, and their merge by time. */
#include "source/perf_stream.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_BYTES (4u << 20)
#define RING_BYTES_LEAST (64u << 10)
/* Records copied out of the rings and not yet handed over. */
#define PENDING_MAX (256u << 20)

struct ring {
	int fd;			/* the event that owns the buffer */
	struct perf_event_mmap_page *page;
	unsigned char *data;
	size_t size;
};

struct flt_sampler {
	struct flt_perf_layout layout;
	bool kernel_mode, build_id;
	struct ring *rings;	/* one per CPU */
	int *ring_fds;
	size_t ring_count;
	int *fds;		/* every event, owners included */
	size_t fd_count;
	uint64_t *major_ids;
	unsigned char *pending;	/* whole records, 8-byte aligned */
	size_t pending_size, pending_room;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int event_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void attr_init(struct perf_event_attr *attr, const struct flt_sampler *p, const struct flt_sampler_setup *setup)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;
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

/* Locked memory is limited for users without CAP_IPC_LOCK: take what is given. */
static int ring_map(struct ring *ring, int fd, uint64_t bytes)
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

/* Minor and major faults of one thread (or of all) on one CPU, into that CPU's ring. */
static int pair_open(struct flt_sampler *p, const struct flt_sampler_setup *setup, pid_t tid, int cpu, size_t index)
{
	struct ring *ring = &p->rings[index];
	struct perf_event_attr attr;
	int i, fd, err;

	for (i = 0; i < 2; i++) {
		attr_init(&attr, p, setup);
		attr.config = i ? PERF_COUNT_SW_PAGE_FAULTS_MAJ : PERF_COUNT_SW_PAGE_FAULTS_MIN;
		attr.wakeup_watermark = RING_BYTES_LEAST / 2;
		if (!i) {
			attr.mmap = attr.mmap2 = attr.mmap_data = 1;
			attr.comm = attr.comm_exec = attr.task = 1;
			attr.build_id = p->build_id;
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
			err = ring_map(ring, fd, setup->ring_bytes ? setup->ring_bytes : RING_BYTES);
			if (err)
				return err;
		} else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd)) {
			return -errno;
		}
		p->ring_fds[index] = ring->fd;
	}
	return 0;
}

/* A thread that ended meanwhile is no error, and neither is a CPU that is off. */
static int threads_open(struct flt_sampler *p, const struct flt_sampler_setup *setup, uint32_t pid, size_t *opened)
{
	char path[64];
	struct dirent *entry;
	size_t cpu;
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);

		for (cpu = 0; tid > 0 && cpu < p->ring_count && !err; cpu++) {
			err = pair_open(p, setup, tid, (int)cpu, cpu);
			if (err == -ESRCH || err == -ENODEV)
				err = 0;
			else if (!err)
				*opened += 1;
		}
	}
	closedir(dir);
	return err;
}

static int events_open(struct flt_sampler *p, const struct flt_sampler_setup *setup)
{
	size_t opened = 0, i;
	int err = 0;

	for (i = 0; setup->all && i < p->ring_count && !err; i++) {
		err = pair_open(p, setup, -1, (int)i, i);
		if (err == -ENODEV)
			err = 0;
		else if (!err)
			opened++;
	}
	for (i = 0; !setup->all && i < setup->pid_count && !err; i++)
		err = threads_open(p, setup, setup->pids[i], &opened);
	return err ? err : opened ? 0 : -ESRCH;
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

static int open_failed(const struct flt_sampler_setup *setup, int err, struct flt_errmsg *e)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return flt_errmsg_set(e, err, "no permission for perf events%s: run as root, with CAP_PERFMON, or set "
				      "kernel.perf_event_paranoid to %d", setup->all ? " of the whole machine" : "",
				      setup->all ? 0 : 2);
	case -ESRCH:
		return flt_errmsg_set(e, err, "no such process");
	case -EMFILE:
		return flt_errmsg_set(e, err, "too many threads times CPUs for the limit of open files: raise it with ulimit -n");
	case -ENOSYS:
	case -ENOENT:
		return flt_errmsg_set(e, -EOPNOTSUPP, "this kernel has no perf software events (CONFIG_PERF_EVENTS)");
	default:
		return flt_errmsg_errno(e, err, "cannot open perf page-fault events");
	}
}

int flt_sampler_open(struct flt_sampler **out, const struct flt_sampler_setup *setup, struct flt_errmsg *e)
{
	struct flt_sampler *p = calloc(1, sizeof(*p));
	uint32_t allowed = max_stack_allowed();
	int err = -ENOMEM, attempt;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (!p)
		return -ENOMEM;
	p->layout.stacks = setup->stacks;
	p->layout.dwarf = setup->dwarf;
	p->layout.max_stack = setup->max_stack && setup->max_stack < allowed ? setup->max_stack : allowed;
	p->ring_count = cpus > 0 ? (size_t)cpus : 1;
	p->rings = calloc(p->ring_count, sizeof(*p->rings));
	p->ring_fds = malloc(p->ring_count * sizeof(*p->ring_fds));
	if (!p->rings || !p->ring_fds)
		goto err_free;
	events_close(p);

	/* Faults in kernel mode need CAP_PERFMON; build-ids in map events, Linux 5.12. */
	p->kernel_mode = p->build_id = true;
	for (attempt = 0; attempt < 3; attempt++) {
		err = events_open(p, setup);
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
		err = open_failed(setup, err, e);
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

static int pending_add(struct flt_sampler *p, const struct ring *ring, uint64_t at, size_t size)
{
	size_t room, first;
	unsigned char *pending;

	if (p->pending_size + size > p->pending_room) {
		room = p->pending_room ? p->pending_room * 2 : 1u << 20;
		while (room < p->pending_size + size)
			room *= 2;
		if (room > PENDING_MAX)
			return -ENOBUFS;
		pending = realloc(p->pending, room);
		if (!pending)
			return -ENOMEM;
		p->pending = pending;
		p->pending_room = room;
	}
	at &= ring->size - 1;
	first = ring->size - at < size ? ring->size - at : size;
	memcpy(p->pending + p->pending_size, ring->data + at, first);
	memcpy(p->pending + p->pending_size + first, ring->data, size - first);
	p->pending_size += size;
	return 0;
}

static int ring_take(struct flt_sampler *p, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	int err;

	err = pending_add(p, ring, tail, head - tail);
	if (err)
		return err;
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	return 0;
}

struct entry {
	uint64_t time;
	const struct perf_event_header *record;
};

/* Equal times keep the order of arrival: records lie behind each other in memory. */
static int entry_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

/* Index the pending records; one without a time takes that of the record before. */
static int pending_index(struct flt_sampler *p, struct entry **entries, size_t *count)
{
	const struct perf_event_header *record;
	struct entry *list = NULL, *more;
	size_t at = 0, n = 0, room = 0;
	uint64_t time = 0, own;

	while (at + sizeof(*record) <= p->pending_size) {
		record = (const void *)(p->pending + at);
		if (record->size < sizeof(*record) || record->size % 8 || record->size > p->pending_size - at)
			break;
		if (n == room) {
			room = room ? room * 2 : 4096;
			more = reallocarray(list, room, sizeof(*list));
			if (!more) {
				free(list);
				return -ENOMEM;
			}
			list = more;
		}
		own = flt_perf_record_time(record);
		time = own ? own : time;
		list[n++] = (struct entry){ time, record };
		at += record->size;
	}
	if (n)
		qsort(list, n, sizeof(*list), entry_order);
	*entries = list;
	*count = n;
	return 0;
}

/* Keep the records of entries from `from` on for the next round. */
static int pending_keep(struct flt_sampler *p, const struct entry *entries, size_t from, size_t count)
{
	unsigned char *kept;
	size_t size = 0, i;

	if (from == count) {
		p->pending_size = 0;
		return 0;
	}
	kept = malloc(p->pending_room);
	if (!kept)
		return -ENOMEM;
	for (i = from; i < count; i++) {
		memcpy(kept + size, entries[i].record, entries[i].record->size);
		size += entries[i].record->size;
	}
	free(p->pending);
	p->pending = kept;
	p->pending_size = size;
	return 0;
}

int flt_sampler_drain(struct flt_sampler *p, bool all, flt_perf_fn fn, void *arg)
{
	struct flt_perf_event event;
	struct entry *entries;
	uint64_t until = now_ns();
	size_t count, i;
	int err;

	for (i = 0; i < p->ring_count; i++) {
		if (!p->rings[i].page)
			continue;
		err = ring_take(p, &p->rings[i]);
		if (err && err != -ENOBUFS)	/* what stays in the ring is counted by the kernel */
			return err;
	}
	err = pending_index(p, &entries, &count);
	if (err)
		return err;
	for (i = 0; i < count && (all || entries[i].time <= until); i++) {
		err = flt_perf_decode(&p->layout, entries[i].record, &event);
		if (err == 1)
			err = fn(arg, &event);
		if (err)
			break;
	}
	if (!err)
		err = pending_keep(p, entries, i, count);
	free(entries);
	return err;
}
