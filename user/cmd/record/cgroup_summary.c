// SPDX-License-Identifier: GPL-2.0-or-later
/* cgroup_summary.c - the summary of a run that a memory cgroup limited. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/record/cgroup.h"
#include "text/terminal.h"
#include "text/units.h"

static const char *size(char text[FLT_UNITS_TEXT], uint64_t bytes)
{
	return bytes == FLT_GROUP_UNKNOWN ? "unknown" : flt_units_write_size(text, bytes);
}

static void print_faults(const struct flt_record_cgroup_result *r)
{
	const struct flt_capture_result *f = &r->faults;
	const uint64_t known = f->allocs + f->refaults;
	char a[FLT_UNITS_TEXT];

	fprintf(stderr, "recorded %s: %" PRIu64 " faults (%" PRIu64 " first touches, %" PRIu64
		" refaults, %" PRIu64 " other; %" PRIu64 " major) by %s\n",
		flt_units_write_ns(a, f->took), f->faults, f->allocs, f->refaults,
		f->faults > known ? f->faults - known : 0, f->majors,
		strcmp(f->engine, "perf") ? "the module" : "perf events");
	if (!strcmp(f->engine, "perf"))
		fprintf(stderr, "         refaults are major faults of pages that were touched "
			"before: perf events have no kind\n");
}

static void print_memory(const struct flt_record_cgroup_result *r)
{
	char a[FLT_UNITS_TEXT], b[FLT_UNITS_TEXT], c[FLT_UNITS_TEXT], d[FLT_UNITS_TEXT];

	fprintf(stderr, "memory   peak %s of -L %s\n", size(a, r->usage.peak), size(b, r->limit));
	fprintf(stderr, "limited  %s anonymous, %s files, %s kernel; %s swapped out%s%s\n",
		size(a, r->most.anon), size(b, r->most.file), size(c, r->most.kernel),
		size(d, r->most.swapped), r->device[0] ? " to " : "", r->device);
}

/* Explain how a counter of the kernel differs from the recording. */
static void print_difference(const char *what, uint64_t kernel, uint64_t recorded,
			     const char *more, const char *fewer)
{
	if (kernel > recorded)
		fprintf(stderr, "         %" PRIu64 " more %s than recorded: %s\n",
			kernel - recorded, what, more);
	else if (kernel < recorded)
		fprintf(stderr, "         %" PRIu64 " fewer %s than recorded: %s\n",
			recorded - kernel, what, fewer);
}

/*
 * Compare with the kernel's own counters of the cgroup. The kernel counts
 *   - every fault of a memory map of the cgroup, also of a child before its exec and of a system
 *     call that brings pages in on behalf of the process; before Linux 6.4 each retry
 *     (handle_mm_fault());
 *   - as major only a fault that reads a page itself (filemap_fault(), do_swap_page()). The faults
 *     of perf and of the module are also major if they waited for a page that another one reads
 *     (mm_account_fault());
 *   - as read again each evicted page that comes back, also ahead of a fault and by read(2)
 *     (workingset_refault()).
 */
static void print_comparison(const struct flt_record_cgroup_result *r)
{
	const struct flt_group_usage *u = &r->usage;
	const struct flt_capture_result *f = &r->faults;
	const bool by_module = strcmp(f->engine, "perf");

	if (u->faults == FLT_GROUP_UNKNOWN || u->majors == FLT_GROUP_UNKNOWN)
		return;
	fprintf(stderr, "cgroup   %" PRIu64 " faults, %" PRIu64 " major", u->faults, u->majors);
	if (u->refaults != FLT_GROUP_UNKNOWN)
		fprintf(stderr, ", %" PRIu64 " pages read again", u->refaults);
	if (u->faults == f->faults && u->majors == f->majors)
		fprintf(stderr, "; equal to the recording");
	fputc('\n', stderr);
	print_difference("faults", u->faults, f->faults, f->unfollowed ?
			 "those that are lost, before the exec, retries, and pages that system "
			 "calls brought in" :
			 "before the exec, retries, and pages that system calls brought in",
			 "in memory charged to other cgroups, and not yet summed up by the kernel");
	print_difference("major faults", u->majors, f->majors, f->unfollowed ?
			 "those that are lost, and of system calls" : by_module ?
			 "before the exec, and attempts that were given up" :
			 "before the exec, and of system calls that brought pages in",
			 "faults that waited for a page that was already being read, and not yet "
			 "summed up by the kernel");
	if (u->refaults != FLT_GROUP_UNKNOWN)
		print_difference("pages read again", u->refaults, f->refaults,
				 "several by one fault, or by system calls",
				 "pages that were in memory when they were touched again, and not "
				 "yet summed up by the kernel");
}

/* A process that was in the cgroup only between two looks was not seen, so do not deny it. */
static void print_loss(const struct flt_record_cgroup_result *r, bool existed)
{
	if (r->faults.missed)
		fprintf(stderr, "missed   %" PRIu64 " process%s that entered the cgroup after the "
			"start\n", r->faults.missed, r->faults.missed == 1 ? "" : "es");
	if (r->faults.unfollowed)
		fprintf(stderr, "loss     all faults of %" PRIu64 " process%s after an exec\n",
			r->faults.unfollowed, r->faults.unfollowed == 1 ? "" : "es");
	else if (r->faults.lost)
		fprintf(stderr, "loss     %" PRIu64 " faults or stacks\n", r->faults.lost);
	else
		fprintf(stderr, "loss     none%s\n", existed ? " of the processes that were "
			"recorded: those at the start and what they forked" : "");
}

void flt_record_cgroup_summary(const struct flt_record_cgroup_result *r, bool existed)
{
	if (flt_terminal_can_erase(stderr))
		fputs("\r" FLT_TERMINAL_ERASE, stderr);
	print_faults(r);
	print_memory(r);
	print_comparison(r);
	print_loss(r, existed);
}
