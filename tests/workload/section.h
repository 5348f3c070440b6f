/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section.h - a part of a workload with a known number of faults.
 *
 * section_end() compares the counts of getrusage() with the expected counts and exits with
 * status 1 if they differ. Every workload therefore tests itself on any kernel, with or
 * without flt.
 *
 * Under `fltq around` (environment FLT_GATE=READ,WRITE, two file descriptors) the process
 * waits at the begin and at the end of a section while the reader takes a snapshot, so both
 * count the same faults.
 */
#ifndef SECTION_H
#define SECTION_H

#define SECTION_ANY (-1L) /* not compared, because the count depends on the kernel */

void section_begin(void);

/* Compare the counts since section_begin(), unless SECTION_ANY. total is minor + major. */
void section_end(const char *name, long minor, long major, long total);

#endif
