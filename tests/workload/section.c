// SPDX-License-Identifier: GPL-2.0-or-later
#include "page.h"
#include "section.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
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
		errx(2, "the reader of FLT_GATE has ended");
}

/*
 * Map the stack pages that section_end() may use. Its callees need more stack than those of
 * section_begin(), and its own frame may be higher if it is a tail call.
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

#if __GLIBC_PREREQ(2, 35)
#include <sys/rseq.h>
/*
 * Write to the rseq area, so that its page is not shared after a fork. When the thread
 * resumes after preemption, the kernel writes the CPU number there, which would be counted
 * as a fault of the thread.
 */
static void rseq_warm(void)
{
	struct rseq *r = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);

	if (__rseq_size)
		*(volatile typeof(r->rseq_cs) *)&r->rseq_cs = 0;
}
#else
static void rseq_warm(void) { }	/* no rseq area */
#endif

/*
 * Take a fault of a kind that is final. The module counts a fault that seems to copy a page as COW
 * until the next fault shows whether there was a copy.
 */
static void settle_kinds(void)
{
	volatile char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		err(1, "mmap");
	madvise((void *)page, PAGE, MADV_NOHUGEPAGE);
	*page = 1;
	munmap((void *)page, PAGE);
}

void section_begin(void)
{
	/*
	 * Touch the code, the stack and the data of section_begin() and section_end() and do
	 * one call of the gate without effect. The real calls then take no faults, even in a
	 * new child.
	 */
	const volatile char *end = (const volatile char *)section_end;

	/* The code of section_end() may be on another page, which fault-around does not map. */
	(void)end[0];
	(void)end[128];
	stack_warm();
	rseq_warm();
	gate('w');
	settle_kinds();
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
		errx(1, "%s: minor=%ld major=%ld, should be minor=%ld major=%ld total=%ld "
		     "(-1: any)", name, mi, ma, minor, major, total);
}
