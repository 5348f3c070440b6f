/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash_table.h - uthash, for tables that are not searched for every fault.
 *
 * Include this header instead of <uthash.h>, because uthash ends the program when it is out of
 * memory unless it is told not to. After HASH_ADD*(), flt_hash_added() says whether the entry is
 * in the table; if not, the caller still owns the entry. A table that is searched for every fault
 * uses index/index.h.
 */
#ifndef FLT_HASH_TABLE_H
#define FLT_HASH_TABLE_H

#include <stdbool.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Return whether the last HASH_ADD*() of this handle found memory. */
static inline bool flt_hash_added(const UT_hash_handle *handle)
{
	return handle->tbl;
}

#endif
