/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - print all totals at one moment.
 *
 * One line "machine key=value ...":
 *   all.* retired.* other.*   FLT_CMD_TALLY_GET
 *   rows.*                    the sum over FLT_CMD_PROC_GET
 *   failed_* lost_* procs_*   counters of the tally
 *   hits missed_busy missed_full   of the hook on handle_mm_fault
 *   pgfault                   of /proc/vmstat
 *   probe probe_missed        of the kprobe event "calls" in kprobe_profile of tracefs, if a
 *                             test created it
 *   debugfs.NAME              each file of debugfs that contains one number
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "genl.h"

#include <stdio.h>

/*
 * Print the line. All values are read between two equal tallies, so no fault was counted
 * meanwhile. The reader itself does not fault. For the first second, the values are also read
 * again if a fault was in progress; then faults in progress are accepted, because a thread may
 * sleep in a fault. Return 0 or -errno; -EAGAIN if the tallies differed for a minute.
 */
int machine_print(struct genl *g, FILE *out);

#endif
