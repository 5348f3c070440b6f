// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_rlimit.c - limits on addresses and data, which must not see the recorder's mappings. */
#include "cases.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOFT (1ul << 30)

static void *run(void *arg)
{
	return arg;
}

/* Map more and less than the limit allows, and start a thread. */
static void show_room(const char *name)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	size_t small = 96ul << 20, large = 2 * SOFT;
	struct rlimit l = none, raw = none, old = none;
	void *p, *q, *r;
	pthread_t t;

	p = mmap(NULL, small, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = 0;
	q = mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("%s: small %d large %d %s\n", name, p != MAP_FAILED, q != MAP_FAILED,
	       strerror(errno));
	r = malloc(large);
	printf("%s: malloc %d thread %d\n", name, r != NULL, pthread_create(&t, NULL, run, NULL));
	pthread_join(t, NULL);
	free(r);
	munmap(p, small);
	if (q != MAP_FAILED)
		munmap(q, large);
	for (int i = 0; i < 2; i++) {
		int resource = i ? RLIMIT_DATA : RLIMIT_AS;

		getrlimit(resource, &l);
		syscall(SYS_getrlimit, resource, &raw);
		prlimit(getpid(), resource, NULL, &old);
		printf("%s: %ld %ld, %d %d\n", name, (long)l.rlim_cur, (long)l.rlim_max,
		       l.rlim_cur == raw.rlim_cur && l.rlim_max == raw.rlim_max,
		       l.rlim_cur == old.rlim_cur && l.rlim_max == old.rlim_max);
	}
}

void case_address_limit(void)
{
	const struct rlimit soft = { SOFT, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit old = none;

	void *bad = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	munmap(bad, PAGE);
	printf("bad %d", setrlimit(RLIMIT_AS, bad));
	printf(" %ld %d", syscall(SYS_prlimit64, 0, RLIMIT_DATA, bad, NULL), getrlimit(RLIMIT_AS, bad));
	printf(" %s\n", strerror(errno));
	printf("AS %d\n", setrlimit(RLIMIT_AS, &soft));
	show_room("AS");
	fflush(stdout);
	if (system("ulimit -v; ulimit -v 900000; ulimit -v; ulimit -H -v; /bin/sh -c 'ulimit -v'"))
		printf("the shell failed\n");
	printf("data %d\n", prlimit(0, RLIMIT_AS, &none, &old) |
	       (int)syscall(SYS_prlimit64, 0, RLIMIT_DATA, &soft, NULL));
	printf("old %ld\n", (long)old.rlim_cur);
	show_room("data");
	printf("none %d\n", setrlimit(RLIMIT_DATA, &none));
	show_room("none");
}
