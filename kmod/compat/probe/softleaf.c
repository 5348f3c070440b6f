// SPDX-License-Identifier: GPL-2.0-only
/* since 6.19: softleaf_t replaces swp_entry_t */
#include <linux/mm.h>
#include <linux/swap.h> /* 7.2: leafops.h needs SWP_MIGRATION_READ */
#include <linux/leafops.h>

bool test(pte_t pte)
{
	return softleaf_is_swap(softleaf_from_pte(pte));
}
