/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.h - print a message of the netlink family flt as a line of key=value. */
#ifndef ROW_H
#define ROW_H

#include "genl.h"

#include <linux/flt.h>
#include <stdio.h>

struct account {
	uint64_t value[FLT_ACCOUNT_MAX + 1];
	uint64_t kind[FLT_KIND_MAX + 1];
	int kinds;	/* the message had at least one kind */
};

void account_read(struct account *acc, const struct nlattr *nest);
void account_print(FILE *out, const char *prefix, const struct account *acc);

/* The name of a row and the format of its attributes. */
struct shape;
extern const struct shape info_shape, hook_shape, tally_shape, latency_shape, proc_shape,
	task_shape, base_shape, session_shape, thp_shape, numa_shape, slowest_shape;

void row_print(FILE *out, const struct shape *shape, const struct nlmsghdr *nlh);

#endif
