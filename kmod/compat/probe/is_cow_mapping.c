// SPDX-License-Identifier: GPL-2.0-only
/* from 5.13 until 7.1 */
#include <linux/mm.h>

bool test(const struct vm_area_struct *vma)
{
	return is_cow_mapping(vma->vm_flags);
}
