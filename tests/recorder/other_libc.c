// SPDX-License-Identifier: GPL-2.0-or-later
/* other_libc.c - a program of another C library, which cannot load the recorder. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	const char *value = getenv("LD_PRELOAD");

	printf("LD_PRELOAD=%s\n", value ? value : "");
	return 0;
}
