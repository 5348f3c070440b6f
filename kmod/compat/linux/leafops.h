/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leafops - entries of page tables that are not present. The names begin with flt_, because
 * vendors backport some of the kernel's new names to old kernels: 6.12.117 of Debian has
 * softleaf_t and softleaf_from_pte(), but not softleaf_is_swap().
 */
#ifndef FLT_COMPAT_LINUX_LEAFOPS_H
#define FLT_COMPAT_LINUX_LEAFOPS_H

#include <flt_compat.h>
#include <linux/swap.h> /* 7.2: leafops.h needs SWP_MIGRATION_READ, and does not include it */
#if FLT_HAVE_SOFTLEAF
#include_next <linux/leafops.h>

#define flt_leaf_t softleaf_t
#define flt_leaf_from_pte softleaf_from_pte
#define flt_leaf_is_swap softleaf_is_swap
#define flt_leaf_is_migration softleaf_is_migration
#define flt_leaf_is_uffd_wp_marker softleaf_is_uffd_wp_marker
#define flt_pmd_is_migration pmd_is_migration_entry
#else
#include <linux/mm.h>
#include <linux/swapops.h>

/* Before 6.19 the type was swp_entry_t. */
#define flt_leaf_t swp_entry_t
#define flt_leaf_from_pte pte_to_swp_entry
#define flt_leaf_is_migration is_migration_entry
#define flt_pmd_is_migration is_pmd_migration_entry

static inline bool flt_leaf_is_swap(flt_leaf_t entry)
{
	return !non_swap_entry(entry);
}

/* Before 5.19 there were no markers. */
static inline bool flt_leaf_is_uffd_wp_marker(flt_leaf_t entry)
{
#if FLT_HAVE_PTE_MARKER
	return is_pte_marker_entry(entry) && pte_marker_get(entry) & PTE_MARKER_UFFD_WP;
#else
	return false;
#endif
}
#endif

#endif
