/* SPDX-License-Identifier: GPL-2.0-or-later */
/* undo.h - undo one change that a line of a journal names. */
#ifndef FLT_LIMIT_UNDO_H
#define FLT_LIMIT_UNDO_H

#include <stdbool.h>

#include "text/errmsg.h"

struct limit_undo {
	const char *words[4];	/* of the line; the rest is NULL */
	bool shared;		/* serves all runs */
	int (*run)(const struct limit_undo *undo, struct flt_errmsg *e);
};

/* Split a line, which must outlive *undo. Return 0, or -EINVAL for a line that is not complete. */
int limit_undo_parse(struct limit_undo *undo, char *line);
/* Undo the change. A change that was undone, or was never made, is no error. Return 0 or -errno. */
int limit_undo_run(const struct limit_undo *undo, struct flt_errmsg *e);

#endif
