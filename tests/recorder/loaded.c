// SPDX-License-Identifier: GPL-2.0-or-later
/* loaded.c - a library that stacks.c loads at run time. */
#include "tests/workload/page.h"

void touch_loaded(char *p, unsigned int pages);

void touch_loaded(char *p, unsigned int pages)
{
	for (unsigned int i = 0; i < pages; i++)
		p[i * PAGE] = 1;
}
