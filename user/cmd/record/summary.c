// SPDX-License-Identifier: GPL-2.0-or-later
/* summary.c - progress and summary of a run with limited memory. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "text/clock.h"
#include "cmd/record/limit.h"
#include "observe/loss.h"
#include "text/terminal.h"
#include "text/units.h"

/*
 * Read the resident memory of a process, in bytes. files: the part that is files and shared
 * memory, which is never limited. Both are 0 if the process ended.
 */
static void memory_of(pid_t pid, uint64_t *rss, uint64_t *files)
{
	unsigned long size, resident = 0, shared = 0;
	char path[32], text[128];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = 0;
	if (sscanf(text, "%lu %lu %lu", &size, &resident, &shared) != 3)
		resident = shared = 0;
	*rss = flt_record_bytes(resident);
	*files = flt_record_bytes(shared);
}

/*
 * Return the resident bytes of an image that the limit does not apply to, and all of them. files:
 * see memory_of().
 */
static uint64_t outside_of(const struct flt_ring_image *image, uint64_t *rss, uint64_t *files)
{
	const struct flt_ring_totals *t = image->totals;
	uint64_t covered = flt_record_bytes(t->resident + t->shadow);

	memory_of(image->server, rss, files);
	/* The region counts zero pages as resident, the kernel does not. */
	return *rss > covered + *files ? *rss - covered : *files;
}

static void sample_image(void *arg, struct flt_ring_image *image)
{
	uint64_t rss, files, covered, outside, resident, evicted;
	struct flt_recording *r = arg;

	outside = outside_of(image, &rss, &files);
	resident = flt_record_bytes(image->totals->resident);
	evicted = flt_record_bytes(image->totals->shadow);
	covered = resident + evicted;
	r->rss += rss;
	r->resident += resident;
	r->evicted += evicted;
	r->outside += outside;
	r->files += files;
	if (covered + outside > r->args->limit) {
		r->large += covered + outside;
		r->large_covered += covered;
	}
	flt_ring_sum_add(&r->now, image);
}

void flt_record_sample(struct flt_recording *r)
{
	uint64_t covered;

	r->rss = r->outside = r->files = r->resident = r->evicted = 0;
	r->large = r->large_covered = 0;
	r->now = r->total.sum;
	flt_rings_each(r->rings, sample_image, r);
	covered = r->resident + r->evicted;
	if (covered + r->outside >= r->total.memory_peak) {
		r->total.memory_peak = covered + r->outside;
		r->total.covered_at_peak = covered;
		r->total.files_at_peak = r->files;
	}
	if (r->large >= r->total.large_peak) {
		r->total.large_peak = r->large;
		r->total.large_covered = r->large_covered;
	}
}

void flt_record_image_peak(struct flt_recording *r, const struct flt_ring_image *image)
{
	const uint64_t covered = flt_record_bytes(image->totals->used_peak);
	uint64_t rss, files, peak = covered + outside_of(image, &rss, &files);

	if (peak > r->total.memory_peak) {
		r->total.memory_peak = peak;
		r->total.covered_at_peak = covered;
		r->total.files_at_peak = files;
	}
	if (peak > r->args->limit && peak > r->total.large_peak) {
		r->total.large_peak = peak;
		r->total.large_covered = covered;
	}
}

void flt_record_write_stats(struct flt_recording *r)
{
	struct flt_record_stats s = { .head = { .time = flt_clock_ns(CLOCK_MONOTONIC) } };

	s.faults = r->now.faults.alloc + r->now.faults.refault;
	s.majors = ~0ull;
	s.allocs = r->now.faults.alloc;
	s.refaults = r->now.faults.refault;
	s.evictions = r->now.totals.evicted;
	s.resident = r->resident;
	s.evicted = r->evicted;
	s.limit = r->args->limit;
	s.rss = r->rss;
	s.unlimited = r->outside;
	flt_file_stats(r->file, &s);
	flt_file_flush(r->file);
}

void flt_record_progress(struct flt_recording *r)
{
	char resident[FLT_UNITS_TEXT], limit[FLT_UNITS_TEXT], elapsed[FLT_UNITS_TEXT];
	const uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	const uint64_t faults = r->now.faults.alloc + r->now.faults.refault;

	if (!r->args->quiet && flt_terminal_can_erase(stderr))
		fprintf(stderr, "\r%s  %.0f faults/s  resident %s of %s  evicted %llu pages "
			FLT_TERMINAL_ERASE,
			flt_units_write_ns(elapsed, now - r->o.began),
			(double)(faults - r->last_faults) * 1e9 / (double)(now - r->last_line + 1),
			flt_units_write_size(resident, r->resident),
			flt_units_write_size(limit, r->args->limit),
			(unsigned long long)r->now.totals.evicted);
	r->last_faults = faults;
	r->last_line = now;
}

struct flt_loss flt_record_loss(const struct flt_recording *r)
{
	const struct flt_record_total *t = &r->total;

	return (struct flt_loss){
		.recorded = t->corrupt + t->discarded,
		.stacks = t->sum.totals.stacks_full,
		.uncovered = t->large_covered * 2 < t->large_peak,
		.unlimited = t->refused + t->sum.totals.forks_unlimited +
			     t->sum.totals.execs_unlimited,
	};
}

/* Report memory that the limit did not apply to, and whether anything was lost. */
static void print_gaps(const struct flt_recording *r)
{
	const struct flt_ring_totals *s = &r->total.sum.totals;
	const struct flt_loss loss = flt_record_loss(r);
	char a[FLT_UNITS_TEXT];

	if (s->passed_bytes)
		fprintf(stderr, "passed   %s of private anonymous mappings of other kinds were not "
			"limited\n", flt_units_write_size(a, s->passed_bytes));
	if (s->ejected)
		fprintf(stderr, "ejected  %s were taken out of the limit, because the program "
			"protected, locked or advised them\n",
			flt_units_write_size(a, flt_record_bytes(s->ejected)));
	if (s->evict_copies)
		fprintf(stderr, "copied   %llu pages were evicted by copying, so direct I/O into "
			"them can lose data\n", (unsigned long long)s->evict_copies);
	if (flt_loss_any(&loss) || r->total.killed || !r->total.images || s->plain_bytes)
		fprintf(stderr, "loss     see below");
	else
		fprintf(stderr, "loss     none%s", s->rescued ? " but the rescued faults" : "");
	if (s->full_ns)
		fprintf(stderr, "; the command waited %s, because fltctl was slower",
			flt_units_write_ns(a, s->full_ns));
	fputc('\n', stderr);
	if (s->plain_bytes)
		fprintf(stderr, "warning: %s of heap beyond -M were not limited\n",
			flt_units_write_size(a, s->plain_bytes));
	if (loss.uncovered)
		fprintf(stderr, "warning: only %.1f%% of the memory of processes larger than -L "
			"was limited (use --engine=cgroup)\n",
			100.0 * (double)r->total.large_covered / (double)r->total.large_peak);
}

/* Print who has filled the pages, and the time of those that fltctl filled. */
static void print_service(const struct flt_ring_counts *f)
{
	const uint64_t all = f->alloc + f->refault, timed = all - f->granted;
	char a[FLT_UNITS_TEXT];

	if (!all)
		return;
	fprintf(stderr, "service  %s per fault, %.0f%% on the faulting thread",
		flt_units_write_ns(a, timed ? f->latency_ns / timed : 0),
		100.0 * (double)f->inline_faults / (double)all);
	if (f->granted)
		fprintf(stderr, "; %.0f%% by the kernel alone, not timed",
			100.0 * (double)f->granted / (double)all);
	fputc('\n', stderr);
}

void flt_record_summary(const struct flt_recording *r)
{
	const struct flt_record_total *t = &r->total;
	const struct flt_ring_counts *f = &t->sum.faults;
	char a[FLT_UNITS_TEXT], b[FLT_UNITS_TEXT], c[FLT_UNITS_TEXT];

	if (flt_terminal_can_erase(stderr))
		fputs("\r" FLT_TERMINAL_ERASE, stderr);
	fprintf(stderr, "recorded %s: %llu faults (%llu first touches, %llu refaults; %llu stores, "
			"%llu in system calls), %llu process%s\n",
		flt_units_write_ns(a, r->took), (unsigned long long)(f->alloc + f->refault),
		(unsigned long long)f->alloc, (unsigned long long)f->refault,
		(unsigned long long)f->writes, (unsigned long long)f->kernel_faults,
		(unsigned long long)t->images, t->images == 1 ? "" : "es");
	fprintf(stderr, "memory   peak %s of heap used, %s resident of -L %s; %llu pages evicted "
			"in %llu calls\n",
		flt_units_write_size(a, flt_record_bytes(t->used_peak)),
		flt_units_write_size(b, flt_record_bytes(t->resident_peak)),
		flt_units_write_size(c, r->args->limit),
		(unsigned long long)t->sum.totals.evicted,
		(unsigned long long)t->sum.totals.evict_calls);
	if (t->memory_peak) {
		fprintf(stderr, "coverage %.1f%% of %s at its peak was under the limit",
			100.0 * (double)t->covered_at_peak / (double)t->memory_peak,
			flt_units_write_size(a, t->memory_peak));
		if (t->files_at_peak && t->files_at_peak < t->memory_peak)
			fprintf(stderr, ", %.1f%% without files and shared memory",
				100.0 * (double)t->covered_at_peak /
				(double)(t->memory_peak - t->files_at_peak));
		fputc('\n', stderr);
	}
	print_service(f);
	if (f->raced)
		fprintf(stderr, "raced    %llu more faults of pages that another thread's fault "
			"had brought in\n", (unsigned long long)f->raced);
	if (t->sum.totals.rescued)
		fprintf(stderr, "rescued  %llu more faults of threads in the recorder, on stacks "
			"that are limited, are not recorded\n",
			(unsigned long long)t->sum.totals.rescued);
	if (f->placeless)
		fprintf(stderr, "unplaced %llu faults have no call site\n",
			(unsigned long long)f->placeless);
	print_gaps(r);
}
