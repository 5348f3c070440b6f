// SPDX-License-Identifier: GPL-2.0-or-later
/* walk.c - print the PID and touch 32 MiB again and again until a signal, or for N seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	time_t end = argc > 1 ? time(NULL) + atoi(argv[1]) : 0;
	size_t n = 32u << 20;
	char *p = malloc(n);

	memset(p, 1, n);
	printf("%d\n", getpid());
	fflush(stdout);
	while (!end || time(NULL) < end)
		for (size_t i = 0; i < n; i += 4096)
			p[i]++;
	return 0;
}
