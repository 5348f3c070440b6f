/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section.h - a stretch of a workload whose faults are known in advance.
 *
 * section_end() compares what getrusage() counted for the process with what was
 * promised and ends the program with status 1 when they differ, so that every
 * workload is a test of itself on any kernel, with or without flt.
 *
 * Under `fltq around` (environment FLT_GATE=READ,WRITE, two file descriptors) each
 * end of the section is also a rendezvous: the reader takes its own snapshot of
 * the process while the process waits, so both look at the same faults.
 */
#ifndef SECTION_H
#define SECTION_H

#define SECTION_ANY (-1L) /* not fixed: depends on the kernel */

void section_begin(void);

/* minor or major SECTION_ANY: not compared. total is minor + major, always compared unless ANY. */
void section_end(const char *name, long minor, long major, long total);

#endif
