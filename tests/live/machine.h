/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - all totals at one moment.
 *
 * One line "machine key=value ...":
 *   all.* retired.* other.*   FLT_CMD_TALLY_GET
 *   rows.*                    the sum over FLT_CMD_PROC_GET
 *   failed_* lost_* procs_*   as in the tally
 *   hits missed_busy missed_full   of the hook on handle_mm_fault
 *   pgfault                   /proc/vmstat
 *   probe probe_missed        a kprobe event called "calls", when somebody made
 *                             one (tracefs kprobe_profile)
 *   debugfs.NAME              every file there that holds one number
 *
 * One moment: everything is read between two equal tallies, by a program that
 * does not fault while it does so, and at best while nobody is in the middle of a
 * fault: that is waited for no longer than a second, as some sleep in theirs. Tried
 * for a minute; -EAGAIN when the machine never held still.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "genl.h"

#include <stdio.h>

int machine_print(struct genl *g, FILE *out);

#endif
