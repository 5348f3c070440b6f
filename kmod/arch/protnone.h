/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * protnone - values of page table entries that allow no access, see wss/protnone.h.
 *
 * flt_protnone_is_possible() returns true if this machine has entries that a module can change.
 *
 * flt_protnone_make() returns the PROT_NONE value of a present entry. The value keeps the write
 * permission, because flt_protnone_access() needs it. Before 6.2 the kernel also keeps it
 * (savedwrite); later kernels find out again ("mm/autonuma: use can_change_(pte|pmd)_writable() to
 * replace savedwrite").
 *
 * flt_protnone_access() returns the value of such an entry that allows what @vma allows. Protection
 * key and execution come from the mapping, because entries that NUMA balancing itself made
 * PROT_NONE have lost them.
 *
 * flt_protnone_split() separates the entry of one page from a block that is one translation, and
 * returns its value. The caller holds the page table lock.
 *
 * The mask selects the bits of a value that are the number of the page.
 */
#ifndef FLT_PROTNONE_H
#define FLT_PROTNONE_H

#include <linux/mm.h>
#include <linux/pgtable.h>

#ifdef CONFIG_X86_64
#include "arch/x86/protnone.h"
#else
#include "arch/arm64/protnone.h"
#endif

#endif
