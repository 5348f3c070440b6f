// SPDX-License-Identifier: GPL-2.0-only
/* from 6.9 until 6.14 */
#include <linux/mm.h>

bool test(struct folio *folio)
{
	return folio_likely_mapped_shared(folio);
}
