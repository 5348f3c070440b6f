// SPDX-License-Identifier: GPL-2.0-only
/* since 6.1: struct genl_family has resv_start_op */
#include <net/genetlink.h>

struct genl_family family = { .resv_start_op = 1 };
