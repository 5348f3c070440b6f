/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lineage.h - which processes descend from a process. */
#ifndef FLT_SOURCE_LINEAGE_H
#define FLT_SOURCE_LINEAGE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Return true if a process lives and does not descend from `ancestor`, which is a subreaper: so a
 * process whose parent ended still descends from it.
 */
bool flt_lineage_is_stranger(pid_t pid, pid_t ancestor);

#endif
