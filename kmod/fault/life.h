/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * life - probes on fork, exec and exit, which maintain rows, on executable mappings, and on
 * mremap().
 */
#ifndef FLT_LIFE_H
#define FLT_LIFE_H

#include "hook/hook.h"

extern struct flt_hook flt_life_exit, flt_life_exec, flt_life_fork, flt_life_map,
	flt_life_move;

/* Register the hooks. */
void flt_life_init(void);

/* Set the sessions that follow forks, as bits of flt_proc.sessions. */
void flt_life_follow(u32 sessions);

#endif
