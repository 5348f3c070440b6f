// SPDX-License-Identifier: GPL-2.0-only
/* since 5.11: <linux/align.h> */
#include <linux/align.h>
