// SPDX-License-Identifier: GPL-2.0-or-later
/* static_program.c - a statically linked program, which the recorder cannot record. */
int main(void)
{
	return 0;
}
