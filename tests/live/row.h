/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.h - a message of the family flt as one line of key=value. */
#ifndef ROW_H
#define ROW_H

#include "genl.h"

#include <linux/flt.h>
#include <stdio.h>

struct account {
	uint64_t value[FLT_ACCOUNT_MAX + 1];
	uint64_t kind[FLT_KIND_MAX + 1];
	int kinds;
};

void account_read(struct account *acc, const struct nlattr *nest);
void account_print(FILE *out, const char *prefix, const struct account *acc);

/* What a row is called and how its attributes are printed. */
struct shape;
extern const struct shape info_shape, hook_shape, tally_shape, latency_shape, proc_shape,
	task_shape, session_shape, thp_shape, numa_shape;

void row_print(FILE *out, const struct shape *shape, const struct nlmsghdr *nlh);

#endif
