// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/unwind_by.h"

#include <stddef.h>

const char *const flt_unwind_by_names[] = {
	[FLT_UNWIND_BY_FRAME_POINTERS] = "fp",
	[FLT_UNWIND_BY_TABLES] = "dwarf",
	[FLT_UNWIND_BY_LIBDW] = "libdw",
	NULL,
};
