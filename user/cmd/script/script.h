/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script.h - declarations shared by the files of `fltctl script`. */
#ifndef FLT_CMD_SCRIPT_H
#define FLT_CMD_SCRIPT_H

#include "timeline/load.h"
#include "model/code/symbols.h"
#include "view/table/table.h"

struct flt_script_args {
	const char *input;
	bool check, no_stack;
	struct flt_load_filter filter;
	struct flt_symbols_setup symbols;
	struct flt_table_style style;
};

/* Validate a recording and print its contents. Return the exit status. */
int flt_script_check(const struct flt_command *command, const char *path,
		     const struct flt_table_style *style);

#endif
