// SPDX-License-Identifier: GPL-2.0-or-later
/* record_limit.c - `fltctl record -L`: the recorder, the rings, the trace file. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/record.h"
#include "cmd/record_target.h"
#include "job.h"
#include "source/ring.h"
#include "source/stream_file.h"
#include "units.h"

#define DRAIN_NS (5 * FLT_NSEC_PER_MSEC)
#define PAGE 4096ull

/* What the file needs to know of one image. */
struct known {
	uint32_t id;		/* in the file */
	uint32_t tids[64];	/* threads already told, the latest ones */
	unsigned int next;
};

struct total {
	struct flt_ring_totals sum;	/* of images that ended */
	uint64_t resident_peak, used_peak;	/* of one image, pages */
	uint64_t rss_peak, covered_at_peak;	/* all images, bytes */
	uint64_t images, refused, killed;
	char why[160];		/* of the last one refused or killed */
};

struct recording {
	struct flt_run *run;
	const struct flt_record_args *args;
	struct flt_file_writer *file;
	struct flt_rings *rings;
	struct flt_loop *loop;
	struct flt_child child;
	struct total total;
	struct pid_image { pid_t pid; uint32_t id; } *pids;
	size_t npids;
	int status;		/* of the command, as wait(2) has it; -1: runs */
	int file_error;
	bool stopping;
	uint64_t began, last_line, last_faults;
	/* of the sample being taken */
	uint64_t rss, resident, evicted;
	struct flt_ring_totals now;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * FLT_NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static void add_totals(struct flt_ring_totals *sum, const struct flt_ring_totals *t)
{
	const uint64_t *from = (const uint64_t *)t;
	uint64_t *to = (uint64_t *)sum;
	size_t i;

	for (i = 0; i < sizeof(*t) / sizeof(uint64_t); i++)
		to[i] += from[i];
}

/* A short text of /proc/PID/NAME without its newline; "" if it has gone. */
static void proc_text(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = 0;
	if (n > 0 && text[n - 1] == '\n')
		text[n - 1] = 0;
}

static pid_t parent_of(pid_t pid)
{
	char text[512], *p;
	int ppid = 0;

	proc_text(pid, "stat", text, sizeof(text));
	p = strrchr(text, ')');
	if (p)
		sscanf(p + 1, " %*c %d", &ppid);
	return ppid;
}

static uint64_t rss_of(pid_t pid)
{
	unsigned long size, resident = 0;
	char text[128];

	proc_text(pid, "statm", text, sizeof(text));
	if (sscanf(text, "%lu %lu", &size, &resident) != 2)
		return 0;
	return resident * PAGE;
}

/* The image that a process is, or was last. */
static uint32_t image_of(const struct recording *r, pid_t pid)
{
	size_t i;

	for (i = r->npids; i--; )
		if (r->pids[i].pid == pid)
			return r->pids[i].id;
	return 0;
}

static int keep_pid(struct recording *r, pid_t pid, uint32_t id)
{
	size_t i;

	for (i = 0; i < r->npids; i++)
		if (r->pids[i].pid == pid) {
			r->pids[i].id = id;
			return 0;
		}
	if (!(r->npids & (r->npids - 1))) {
		void *p = realloc(r->pids, (r->npids ? 2 * r->npids : 1) * sizeof(*r->pids));

		if (!p)
			return -ENOMEM;
		r->pids = p;
	}
	r->pids[r->npids++] = (struct pid_image){ pid, id };
	return 0;
}

static int image_begins(void *arg, struct flt_ring_image *image)
{
	struct recording *r = arg;
	struct known *k = calloc(1, sizeof(*k));
	enum flt_image_cause cause = FLT_IMAGE_EXEC;
	uint32_t before = image_of(r, image->pid);
	pid_t ppid = parent_of(image->pid);
	char comm[32];

	if (!k)
		return -ENOMEM;
	image->user = k;
	proc_text(image->pid, "comm", comm, sizeof(comm));
	if (image->forked_from) {
		cause = FLT_IMAGE_FORK;
		before = image_of(r, image->forked_from);
	} else if (!r->total.images) {
		cause = FLT_IMAGE_START;
	} else if (!before) {
		/* vfork and exec: it was never seen in between */
		before = image_of(r, ppid);
	}
	r->total.images++;
	flt_file_image(r->file, now_ns(), (uint32_t)image->pid, (uint32_t)ppid, before, cause, comm,
		       &k->id);
	flt_file_maps_read(r->file, now_ns(), k->id, (uint32_t)image->server);
	return keep_pid(r, image->pid, k->id);
}

static void meet_thread(struct recording *r, struct flt_ring_image *image, uint32_t tid, uint64_t time)
{
	struct known *k = image->user;
	char name[48], comm[32];
	size_t i;

	for (i = 0; i < 64; i++)
		if (k->tids[i] == tid)
			return;
	k->tids[k->next++ % 64] = tid;
	snprintf(name, sizeof(name), "task/%u/comm", tid);
	proc_text(image->pid, name, comm, sizeof(comm));
	flt_file_thread(r->file, time, k->id, tid, comm);
}

static uint32_t fault_flags(const struct flt_ring_fault *f)
{
	uint32_t flags = 0;

	if (f->flags & FLT_RING_F_WRITE)
		flags |= FLT_FAULT_WRITE;
	if (!(f->flags & FLT_RING_F_NOOP))
		flags |= FLT_FAULT_OP;
	if (f->flags & FLT_RING_F_KERNEL)
		flags |= FLT_FAULT_KERNEL;
	if (f->flags & FLT_RING_F_DEPTH)
		flags |= FLT_FAULT_CUT_DEPTH;
	if (f->flags & FLT_RING_F_UNWIND)
		flags |= FLT_FAULT_CUT_UNWIND;
	if (f->flags & FLT_RING_F_INLINE)
		flags |= FLT_FAULT_INLINE;
	if (f->flags & FLT_RING_F_PAGE)
		flags |= FLT_FAULT_PAGE;
	if (f->kind == FLT_RING_ALLOC)
		flags |= FLT_FAULT_ALLOC;
	else if (f->kind == FLT_RING_REFAULT)
		flags |= FLT_FAULT_REFAULT;
	return flags;
}

/*
 * Faults and nodes go to the file in batches; nodes first, for a fault may name
 * any node that stands before it in the ring.
 */
static int take_slots(void *arg, struct flt_ring_image *image, const void *slot, size_t n)
{
	enum { BATCH = 256 };
	struct flt_file_fault fault[BATCH];
	struct flt_file_node node[BATCH];
	size_t nfaults = 0, nnodes = 0, i;
	struct known *k = image->user;
	struct recording *r = arg;

	for (i = 0; i < n; i++, slot = (const char *)slot + FLT_RING_SLOT) {
		const struct flt_ring_fault *f = slot;
		const struct flt_ring_node *d = slot;

		if (f->type == FLT_RING_NODE) {
			node[nnodes++] = (struct flt_file_node){
				.address = d->address, .id = d->id, .parent = d->parent,
				.image = k->id,
			};
		} else if (f->type == FLT_RING_FAULT) {
			meet_thread(r, image, f->tid, f->time);
			fault[nfaults++] = (struct flt_file_fault){
				.time = f->time, .address = f->address, .ip = f->ip, .image = k->id,
				.tid = f->tid, .stack = f->stack, .latency = f->latency,
				.weight = f->weight, .pages = f->kind == FLT_RING_RACED ? 0 : 1,
				.flags = fault_flags(f), .cpu = f->cpu,
				.kind = f->kind == FLT_RING_RACED ? FLT_KIND_SPURIOUS : FLT_KIND_UFFD,
			};
		} else if (f->type == FLT_RING_MAPS) {
			flt_file_maps_read(r->file, now_ns(), k->id, (uint32_t)image->server);
		}
		if (nfaults == BATCH || nnodes == BATCH) {
			flt_file_nodes(r->file, node, nnodes);
			flt_file_faults(r->file, fault, nfaults);
			nfaults = nnodes = 0;
		}
	}
	flt_file_nodes(r->file, node, nnodes);
	flt_file_faults(r->file, fault, nfaults);
	return flt_file_error(r->file);
}

static void sample_image(void *arg, struct flt_ring_image *image)
{
	struct recording *r = arg;

	r->rss += rss_of(image->server);
	r->resident += image->totals->resident * PAGE;
	r->evicted += image->totals->shadow * PAGE;
	add_totals(&r->now, image->totals);
}

static void sample(struct recording *r)
{
	r->rss = r->resident = r->evicted = 0;
	r->now = r->total.sum;
	flt_rings_each(r->rings, sample_image, r);
	if (r->rss >= r->total.rss_peak) {
		r->total.rss_peak = r->rss;
		r->total.covered_at_peak = r->resident + r->evicted;
	}
}

static void image_ends(void *arg, struct flt_ring_image *image, const char *why)
{
	struct recording *r = arg;
	struct total *t = &r->total;
	struct known *k = image->user;

	sample(r);
	add_totals(&t->sum, image->totals);
	/* gauges do not add up over images that have gone */
	t->sum.resident = t->sum.shadow = 0;
	if (image->totals->resident_peak > t->resident_peak)
		t->resident_peak = image->totals->resident_peak;
	if (image->totals->used_peak > t->used_peak)
		t->used_peak = image->totals->used_peak;
	if (why) {
		t->killed++;
		snprintf(t->why, sizeof(t->why), "process %d was killed: %s", (int)image->pid, why);
		flt_command_say(r->run->command, "%s", t->why);
	}
	flt_file_maps_read(r->file, now_ns(), k->id, (uint32_t)image->server);
	flt_file_exit(r->file, now_ns(), k->id, 0, ~0u);
	flt_file_image_done(r->file, k->id);
	free(k);
	image->user = NULL;
}

static void image_refused(void *arg, pid_t pid, const char *why)
{
	struct recording *r = arg;

	r->total.refused++;
	flt_command_say(r->run->command, "process %d runs unlimited and unrecorded: %s", (int)pid, why);
}

static void write_stats(struct recording *r)
{
	struct flt_record_stats s = { .head = { .time = now_ns() } };

	s.faults = r->now.alloc + r->now.refault;
	s.majors = ~0ull;
	s.allocs = r->now.alloc;
	s.refaults = r->now.refault;
	s.evictions = r->now.evicted;
	s.resident = r->resident;
	s.evicted = r->evicted;
	s.limit = r->args->limit;
	s.rss = r->rss;
	s.unlimited = r->rss > r->resident + r->evicted ? r->rss - r->resident - r->evicted : 0;
	flt_file_stats(r->file, &s);
	flt_file_flush(r->file);
}

static int each_second(void *arg, uint64_t expired)
{
	char resident[FLT_UNITS_TEXT], limit[FLT_UNITS_TEXT], elapsed[FLT_UNITS_TEXT];
	struct recording *r = arg;
	uint64_t now = now_ns(), faults;

	(void)expired;
	sample(r);
	write_stats(r);
	faults = r->now.alloc + r->now.refault;
	if (!r->args->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s  %.0f faults/s  resident %s of %s  evicted %llu pages \033[K",
			flt_units_write_ns(elapsed, now - r->began),
			(double)(faults - r->last_faults) * 1e9 / (double)(now - r->last_line + 1),
			flt_units_write_size(resident, r->resident),
			flt_units_write_size(limit, r->args->limit),
			(unsigned long long)r->now.evicted);
	r->last_faults = faults;
	r->last_line = now;
	return flt_file_error(r->file);
}

static int take_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct recording *r = arg;
	siginfo_t which;

	if (info->ssi_signo != SIGCHLD) {
		/*
		 * A terminal's interrupt has reached the command, too. A second one,
		 * when the command has gone, is about its leftovers.
		 */
		if (r->status != -1)
			flt_loop_stop(r->loop);
		else if (info->ssi_signo != SIGINT && info->ssi_signo != SIGQUIT)
			kill(r->child.pid, (int)info->ssi_signo);
		return 0;
	}
	/* orphans come to us, fault servers among them; the command is waited for by name */
	for (;;) {
		which.si_pid = 0;
		if (waitid(P_ALL, 0, &which, WEXITED | WNOHANG | WNOWAIT | __WALL) || !which.si_pid)
			return 0;
		if (which.si_pid == r->child.pid) {
			if (flt_child_poll(&r->child, &r->status, NULL))
				return 0;
		} else {
			waitpid(which.si_pid, NULL, WNOHANG | __WALL);
		}
	}
}

static int every_drain(void *arg, uint64_t expired)
{
	struct recording *r = arg;
	ssize_t n = flt_rings_drain(r->rings);

	(void)expired;
	if (n < 0)
		return (int)n;
	if (r->status != -1 && !flt_rings_live(r->rings))
		flt_loop_stop(r->loop);
	return 0;
}

static int rings_talk(void *arg, int fd, short events)
{
	struct recording *r = arg;

	(void)fd;
	(void)events;
	return flt_rings_dispatch(r->rings);
}

static void write_info(struct recording *r, char **argv)
{
	char text[FLT_UNITS_TEXT * 2], line[4096];
	size_t n = 0, i;

	for (i = 0; argv[i] && n < sizeof(line); i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s", i ? " " : "", argv[i]);
	flt_file_info(r->file, "engine", "recorder");
	flt_file_info(r->file, "command", line);
	flt_file_info(r->file, "page_size", "4096");
	snprintf(text, sizeof(text), "%llu", (unsigned long long)r->args->limit);
	flt_file_info(r->file, "limit", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)r->args->memory);
	flt_file_info(r->file, "memory", text);
	flt_file_info(r->file, "policy", r->args->policy == FLT_REC_CLOCK ? "clock" : "fifo");
	flt_file_info(r->file, "stacks", r->args->no_stack ? "none" : "unwind");
	flt_file_info(r->file, "period", "1");
	flt_file_info(r->file, "version", FLT_VERSION);
}

static void summary(struct recording *r, uint64_t took)
{
	const struct total *t = &r->total;
	const struct flt_ring_totals *s = &t->sum;
	char a[FLT_UNITS_TEXT], b[FLT_UNITS_TEXT], c[FLT_UNITS_TEXT];

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
	fprintf(stderr, "recorded %s: %llu faults (%llu first touches, %llu refaults; %llu stores, "
			"%llu in system calls), %llu processes\n",
		flt_units_write_ns(a, took), (unsigned long long)(s->alloc + s->refault),
		(unsigned long long)s->alloc, (unsigned long long)s->refault,
		(unsigned long long)s->writes, (unsigned long long)s->kernel_faults,
		(unsigned long long)t->images);
	fprintf(stderr, "memory   peak %s of heap used, %s resident of -L %s; %llu pages evicted in "
			"%llu calls\n",
		flt_units_write_size(a, t->used_peak * PAGE),
		flt_units_write_size(b, t->resident_peak * PAGE),
		flt_units_write_size(c, r->args->limit), (unsigned long long)s->evicted,
		(unsigned long long)s->evict_calls);
	if (t->rss_peak)
		fprintf(stderr, "coverage %.1f%% of %s at its peak was under the limit\n",
			100.0 * (double)t->covered_at_peak / (double)t->rss_peak,
			flt_units_write_size(a, t->rss_peak));
	if (s->alloc + s->refault)
		fprintf(stderr, "service  %s a fault, %.0f%% on the faulting thread\n",
			flt_units_write_ns(a, s->latency_ns / (s->alloc + s->refault + s->raced)),
			100.0 * (double)s->inline_faults / (double)(s->alloc + s->refault));
	if (s->full_ns)
		fprintf(stderr, "loss     none; the command waited %s for fltctl to keep up\n",
			flt_units_write_ns(a, s->full_ns));
	else
		fprintf(stderr, "loss     none\n");
	if (s->plain_bytes)
		fprintf(stderr, "warning: %s beyond -M were given unlimited\n",
			flt_units_write_size(a, s->plain_bytes));
	if (s->forks_unlimited)
		fprintf(stderr, "warning: %llu forked processes ran unlimited\n",
			(unsigned long long)s->forks_unlimited);
}

static int record(struct recording *r, char **argv, const char *library)
{
	char preload[PATH_MAX + 4096], name[128];
	const char *const env[] = { preload, name, NULL };
	struct flt_child_setup setup = { .argv = argv, .env = env };
	const char *before = getenv("LD_PRELOAD");
	struct flt_errmsg e = { "" };
	sigset_t set, mask;
	int ret;

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s%s%s", library, before && *before ? ":" : "",
		 before ? before : "");
	snprintf(name, sizeof(name), "FLT_RECORD_SOCKET=%s", flt_rings_name(r->rings));
	flt_job_signals(&set);
	ret = flt_loop_new(&r->loop);
	if (ret)
		return flt_command_fail(r->run->command, NULL, ret);
	ret = flt_loop_signals(r->loop, &set, &mask, take_signal, r);
	setup.mask = &mask;
	if (!ret)
		ret = flt_loop_add(r->loop, flt_rings_fd(r->rings), 1 /* POLLIN */, rings_talk, r);
	if (!ret)
		ret = flt_loop_every(r->loop, DRAIN_NS, every_drain, r);
	if (!ret)
		ret = flt_loop_every(r->loop, FLT_NSEC_PER_SEC, each_second, r);
	if (!ret)
		ret = flt_child_fork(&r->child, &setup, &e);
	if (ret)
		return flt_command_fail(r->run->command, &e, ret);
	r->began = r->last_line = now_ns();
	ret = flt_child_release(&r->child);
	if (ret) {
		flt_command_say(r->run->command, "cannot run %s: %s", argv[0], strerror(-ret));
		r->status = flt_child_exec_status(ret) << 8;
		return -1;
	}
	ret = flt_loop_run(r->loop);
	if (ret)
		r->file_error = ret;
	return 0;
}

int flt_record_limit(struct flt_run *run, const struct flt_record_args *args)
{
	struct recording r = { .run = run, .args = args, .status = -1 };
	struct flt_rec_config config = {
		.limit_pages = args->limit / PAGE, .latency_ns = args->latency,
		.bandwidth = args->bandwidth, .policy = (uint32_t)args->policy,
		.max_stack = (uint32_t)args->max_stack, .sample = (uint32_t)args->sample,
		.flags = (args->no_inline ? FLT_REC_NO_INLINE : 0u) |
			 (args->no_move ? FLT_REC_NO_MOVE : 0u) |
			 (args->no_stack ? FLT_REC_NO_STACK : 0u),
	};
	const struct flt_ring_receiver receiver = {
		.begin = image_begins, .slots = take_slots, .end = image_ends,
		.refused = image_refused, .arg = &r,
	};
	char library[PATH_MAX], kept[PATH_MAX];
	struct flt_errmsg e = { "" };
	uint64_t took, faults;
	int ret, status;

	config.max_pages = args->memory ? args->memory / PAGE :
					  2 * (uint64_t)sysconf(_SC_PHYS_PAGES);
	if (!args->memory && config.max_pages < 2 * config.limit_pages)
		config.max_pages = 2 * config.limit_pages;
	if (config.max_pages < config.limit_pages)
		return flt_command_misuse(run->command, "-M is smaller than -L");
	ret = flt_record_target_check(run->words.command[0], &e);
	if (!ret)
		ret = flt_record_target_library(library, &e);
	if (ret)
		return flt_command_fail(run->command, &e, ret);
	ret = flt_file_create(&r.file, args->output, kept);
	if (ret) {
		flt_errmsg_errno(&e, ret, "cannot create %s", args->output);
		return flt_command_fail(run->command, &e, ret);
	}
	if (*kept && !args->quiet)
		flt_command_say(run->command, "kept the earlier recording as %s", kept);
	ret = flt_rings_open(&r.rings, &config, &receiver, &e);
	if (ret) {
		flt_file_abandon(r.file);
		return flt_command_fail(run->command, &e, ret);
	}
	write_info(&r, run->words.command);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ret = record(&r, run->words.command, library);
	took = now_ns() - r.began;
	if (!ret && !r.file_error) {
		sample(&r);
		write_stats(&r);
	}
	/* whatever still runs is killed by its server here */
	flt_rings_close(r.rings);
	if (r.status == -1 && r.child.pid > 0)
		flt_child_wait(&r.child, &r.status, NULL);
	faults = r.total.sum.alloc + r.total.sum.refault + r.total.sum.raced;
	status = flt_file_close(r.file, faults, r.status == -1 ? ~0u : (uint32_t)r.status);
	flt_loop_free(r.loop);
	free(r.pids);
	if (ret > 0)
		return ret;
	if (ret < 0)
		return flt_child_exit_status(r.status);
	if (status || r.file_error) {
		flt_errmsg_errno(&e, status ? status : r.file_error,
				 "cannot write %s; it holds what came before", args->output);
		return flt_command_fail(run->command, &e, status ? status : r.file_error);
	}
	if (!args->quiet)
		summary(&r, took);
	if (!r.total.images)
		flt_command_say(run->command,
				"nothing was recorded: no process of the command loaded the recorder");
	status = flt_child_exit_status(r.status);
	if (!status && (!r.total.images || r.total.killed))
		status = FLT_EXIT_INCOMPLETE;
	return status;
}
