// SPDX-License-Identifier: GPL-2.0-only
/* until 6.16: entries of DAX pages have a bit of their own */
#include <linux/mm.h>

bool test(pte_t pte)
{
	return pte_devmap(pte);
}
