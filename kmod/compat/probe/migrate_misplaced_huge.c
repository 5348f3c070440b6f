// SPDX-License-Identifier: GPL-2.0-only
/* until 5.12: huge pages are moved to another node by a function of their own */
#include <linux/migrate.h>

void *test(void)
{
	return &migrate_misplaced_transhuge_page;
}
