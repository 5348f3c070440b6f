// SPDX-License-Identifier: GPL-2.0-only
/* since 6.15: the new name of folio_likely_mapped_shared() */
#include <linux/mm.h>

bool test(struct folio *folio)
{
	return folio_maybe_mapped_shared(folio);
}
