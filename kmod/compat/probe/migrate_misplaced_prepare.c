// SPDX-License-Identifier: GPL-2.0-only
/* since 6.11: migrate_misplaced_folio() returns 0 if it has moved the folio */
#include <linux/migrate.h>

/* The function is from the same patches as the return value, which no compiler can see. */
int test(struct folio *folio, struct vm_area_struct *vma)
{
	return migrate_misplaced_folio_prepare(folio, vma, 0);
}
