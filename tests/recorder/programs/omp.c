// SPDX-License-Identifier: GPL-2.0-or-later
/* Parallel loops. */
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	long n = 3 << 20, sum = 0;
	long *p = malloc(n * sizeof *p);
	#pragma omp parallel for
	for (long i = 0; i < n; i++) p[i] = i * 3;
	#pragma omp parallel for reduction(+:sum)
	for (long i = 0; i < n; i++) sum += p[i] ^ i;
	printf("%ld\n", sum);
}
