/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smaps.h - what /proc/PID tells about memory in use, and /proc/PID/clear_refs.
 *
 * clear_refs clears, beside the accessed bits, the marks that reclaim keeps of its
 * own, so it disturbs reclaim; smaps walks the page table and reads the same marks,
 * so a page counts as referenced also when it was for others' sake.
 */
#ifndef FLT_SOURCE_SMAPS_H
#define FLT_SOURCE_SMAPS_H

#include "text/errmsg.h"
#include "account/sample.h"

/*
 * Fills RSS, PSS, referenced and the areas, adds each mapping to areas (NULL: not
 * wanted), and leaves times and names alone. -ESRCH: no such process; -EACCES.
 */
int flt_smaps_read(uint32_t tgid, struct flt_sample *sample, struct flt_sample_areas *areas,
		   struct flt_errmsg *e);
/* The same without areas from the text of a file, for tests. */
int flt_smaps_parse(const char *text, struct flt_sample *sample, struct flt_sample_areas *areas);

/* RSS and PSS only, from smaps_rollup: the cheaper look. */
int flt_smaps_rollup(uint32_t tgid, uint64_t *rss, uint64_t *pss);

/* What /proc/PID/clear_refs takes; Documentation/filesystems/proc.rst */
enum flt_clear { FLT_CLEAR_REFERENCED = 1, FLT_CLEAR_WRITTEN = 4 };

/* Forgets what was referenced, or written. -ESRCH */
int flt_smaps_clear(uint32_t tgid, enum flt_clear what, struct flt_errmsg *e);

#endif
