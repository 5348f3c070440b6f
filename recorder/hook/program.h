/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h - programs that the recorder cannot follow. */
#ifndef FLT_REC_PROGRAM_H
#define FLT_REC_PROGRAM_H

#include <stdbool.h>

struct rec_program {
	int dir, flags;		/* as for execveat(2) */
	const char *path;
	char *const *env;
	bool by_shell;		/* libc runs a file of unknown format with a shell */
	bool closes;		/* named by a close-on-exec descriptor, which no interpreter
				 * can open */
	bool foreign;		/* result: its C library cannot load the recorder, so it must
				 * not be told to (environment.h) */
};

/*
 * Return why the program would run unrecorded, or NULL. NULL also if exec will fail. May be
 * called between vfork and exec and in signal handlers.
 */
const char *rec_program_obstacle(struct rec_program *p);

#endif
