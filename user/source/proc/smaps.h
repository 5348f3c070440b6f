/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smaps.h - read /proc/PID/smaps, and write /proc/PID/clear_refs.
 *
 * clear_refs clears the accessed bits and also the referenced flags of reclaim, so it disturbs
 * reclaim. smaps reads the same flags, so a page used by another process counts as
 * referenced.
 */
#ifndef FLT_SOURCE_SMAPS_H
#define FLT_SOURCE_SMAPS_H

#include "text/errmsg.h"
#include "account/sample.h"

/*
 * Fill RSS, PSS, referenced and the areas, and add each mapping to areas (may be NULL). Times
 * and names are not changed. -ESRCH: no such process; -EACCES.
 */
int flt_smaps_read(uint32_t tgid, struct flt_sample *sample, struct flt_sample_areas *areas,
		   struct flt_errmsg *e);
/* The same without areas, from the text of a file. */
int flt_smaps_parse(const char *text, struct flt_sample *sample, struct flt_sample_areas *areas);

/* Read only RSS and PSS, from smaps_rollup, which is cheaper. */
int flt_smaps_rollup(uint32_t tgid, uint64_t *rss, uint64_t *pss);

/* Values for /proc/PID/clear_refs, from Documentation/filesystems/proc.rst. */
enum flt_clear { FLT_CLEAR_REFERENCED = 1, FLT_CLEAR_WRITTEN = 4 };

/* Clear the referenced or soft-dirty bits. -ESRCH */
int flt_smaps_clear(uint32_t tgid, enum flt_clear what, struct flt_errmsg *e);

#endif
