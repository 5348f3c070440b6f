// SPDX-License-Identifier: GPL-2.0-or-later
#include "section.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <unistd.h>

static struct rusage before;

struct gate_word {
	char what; /* 'w' warm, 'b' begin, 'e' end */
	pid_t pid;
};

static void gate(char what)
{
	const char *spec = getenv("FLT_GATE");
	struct gate_word w;
	int in, out;
	char answer;

	if (!spec || sscanf(spec, "%d,%d", &in, &out) != 2)
		return;
	memset(&w, 0, sizeof(w));
	w.what = what;
	w.pid = getpid();
	if (write(out, &w, sizeof(w)) != sizeof(w) || read(in, &answer, 1) != 1)
		errx(2, "the reader at the gate is gone");
}

/*
 * What section_end() calls reaches further down than what section_begin() has called. And
 * section_end() itself may begin further up, where it is the last call of a function.
 */
static __attribute__((noinline)) void stack_warm(void)
{
	volatile char *above = (volatile char *)__builtin_frame_address(0) + 512;
	volatile char below[2 * 4096] __attribute__((unused));
	char kept = *above;

	below[0] = 0;
	below[4096] = 0;
	*above = kept;
}

/*
 * The kernel writes the CPU's number there when the thread returns from being preempted,
 * which it counts as a fault of the thread if the page is shared since a fork.
 */
static void rseq_warm(void)
{
	struct rseq *r = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);

	if (__rseq_size)
		*(volatile typeof(r->rseq_cs) *)&r->rseq_cs = 0;
}

void section_begin(void)
{
	/*
	 * Once for nothing: the code, the stack and the data of both calls are
	 * then present, also in a child that has just been forked, and the real
	 * calls fault no more.
	 */
	const volatile char *end = (const volatile char *)section_end;

	/* Its code may lie on a page of its own, which a file just written is mapped by one by one. */
	(void)end[0];
	(void)end[128];
	stack_warm();
	rseq_warm();
	gate('w');
	getrusage(RUSAGE_SELF, &before);
	gate('b');
	getrusage(RUSAGE_SELF, &before);
}

void section_end(const char *name, long minor, long major, long total)
{
	struct rusage after;
	long mi, ma;

	getrusage(RUSAGE_SELF, &after);
	gate('e');
	mi = after.ru_minflt - before.ru_minflt;
	ma = after.ru_majflt - before.ru_majflt;
	printf("section %s minor=%ld major=%ld\n", name, mi, ma);
	fflush(stdout);
	if ((minor != SECTION_ANY && mi != minor) || (major != SECTION_ANY && ma != major) ||
	    (total != SECTION_ANY && mi + ma != total))
		errx(1, "%s: promised minor=%ld major=%ld total=%ld (-1: any), the kernel counted %ld and %ld",
		     name, minor, major, total, mi, ma);
}
