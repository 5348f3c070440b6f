// SPDX-License-Identifier: GPL-2.0-or-later
/* loaded.c - a library that stacks.c loads at run time. */
void touch_loaded(char *p, unsigned int pages);

void touch_loaded(char *p, unsigned int pages)
{
	for (unsigned int i = 0; i < pages; i++)
		p[i * 4096] = 1;
}
