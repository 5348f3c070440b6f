/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stranger.h - processes that disturb a recording through its socket. */
#ifndef FLT_TESTS_STRANGER_H
#define FLT_TESTS_STRANGER_H

/* Connect to the abstract name of a recorder. Return a descriptor or -1. */
int stranger_join(const char *name);

/* insider.c: processes of the command that know the token. Return the exit status. */
int insider_break(const char *how);
int insider_fuzz(long count, unsigned long seed);

#endif
