/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_by.h - the values of the option --unwind: how callers are found. */
#ifndef FLT_TIMELINE_UNWIND_BY_H
#define FLT_TIMELINE_UNWIND_BY_H

enum flt_unwind_by {
	FLT_UNWIND_BY_FRAME_POINTERS,
	FLT_UNWIND_BY_TABLES,	/* read by libunwind */
	FLT_UNWIND_BY_LIBDW,	/* tables read by libdw */
};

extern const char *const flt_unwind_by_names[];	/* ends with NULL */

#endif
