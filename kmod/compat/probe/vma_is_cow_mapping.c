// SPDX-License-Identifier: GPL-2.0-only
/* since 7.2: the new name of is_cow_mapping(), with another argument */
#include <linux/mm.h>

bool test(const struct vm_area_struct *vma)
{
	return vma_is_cow_mapping(vma);
}
