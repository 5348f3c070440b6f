// SPDX-License-Identifier: GPL-2.0-only
/* since 7.3: userfaultfd may handle reads of present pages */
#include <linux/mm.h>
#include <linux/userfaultfd_k.h>

bool test(struct vm_area_struct *vma, pte_t pte)
{
	return userfaultfd_pte_rwp(vma, pte);
}
