// SPDX-License-Identifier: GPL-2.0-only
/* since 7.3: the new name of pte_uffd_wp() */
#include <linux/mm.h>

bool test(pte_t pte)
{
	return pte_uffd(pte);
}
