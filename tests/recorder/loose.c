// SPDX-License-Identifier: GPL-2.0-or-later
/* loose.c - a program without a dynamic linker, and so without a recorder. */
int main(void)
{
	return 0;
}
