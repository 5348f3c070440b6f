// SPDX-License-Identifier: GPL-2.0-only
/* since 5.16: struct folio */
#include <linux/mm.h>

unsigned int test(struct page *page)
{
	return folio_order(page_folio(page));
}
