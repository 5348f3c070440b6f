/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn.h - make the fault server. */
#ifndef FLT_REC_SPAWN_H
#define FLT_REC_SPAWN_H

#include <stdbool.h>

/*
 * Return true if children of this process get another PID namespace, after unshare(CLONE_NEWPID):
 * the server would be the first process there, and its end would end the namespace.
 */
bool rec_spawn_is_outside(void);
/*
 * Start the server, which inherits `socket` to fltctl. Call with all signals blocked; the
 * server inherits that. Return 0 when the server runs, or -errno.
 */
int rec_spawn_server(int socket);

#endif
