/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sort.h - put the faults of a chunk in order. */
#ifndef FLT_SOURCE_FILE_SORT_H
#define FLT_SOURCE_FILE_SORT_H

#include <stddef.h>

#include <flt_file.h>

/*
 * Sort faults by the time at which they began. Faults come in the order in which they
 * ended, so only a fault that lasted longer than a later one is out of place, and an insertion
 * moves few others. If many lasted long at once, qsort() takes over.
 */
void flt_file_sort(struct flt_file_fault *faults, size_t n);

#endif
