// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * expect_marks MODE - a program for tests/cli/expect.bats.
 *
 *   rules   print a rule for each round of run
 *   run     touch memory in rounds between marks, and print the faults by getrusage() per round
 *   fixed   touch a fixed number of pages
 *   flood   touch 400,000 pages
 *   vary F  touch 10 or 30 pages in turns; the file F has the state
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "flt_mark.h"

#define PAGE 4096
#define ROUNDS 20

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static void touch(size_t pages)
{
	char *p = mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	madvise(p, (pages + 1) * PAGE, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		p[i * PAGE] = 1;
	munmap(p, (pages + 1) * PAGE);
}

static void run(void)
{
	long count[ROUNDS];
	char name[16];
	int i;

	/* Touch what the rounds use. */
	memset(count, 0, sizeof(count));
	snprintf(name, sizeof(name), "%d", 0);
	flt_mark("start");
	touch(1);
	faults();
	for (i = 0; i < ROUNDS; i++) {
		snprintf(name, sizeof(name), "a%d", i);
		flt_mark(name);
		count[i] = -faults();
		touch((size_t)i * 2);
		count[i] += faults();
		name[0] = 'b';
		flt_mark(name);
	}
	for (i = 0; i < ROUNDS; i++)
		printf("%d %ld\n", i + 1, count[i]);
}

static void vary(const char *path)
{
	int odd = !access(path, F_OK);

	if (odd)
		unlink(path);
	else
		fclose(fopen(path, "w"));
	touch(odd ? 10 : 30);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int i;

	if (!strcmp(mode, "run"))
		run();
	else if (!strcmp(mode, "fixed"))
		touch(100);
	else if (!strcmp(mode, "flood"))
		touch(400000);
	else if (!strcmp(mode, "vary") && argc > 2)
		vary(argv[2]);
	for (i = 0; !strcmp(mode, "rules") && i < ROUNDS; i++)
		printf("minor == 0 after mark \"a%d\" before mark \"b%d\"\n", i, i);
	return 0;
}
