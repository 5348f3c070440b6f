/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash_table.h - uthash, for tables that are not searched for every fault.
 *
 * Include this header instead of <uthash.h>, because uthash by default ends the program when it
 * is out of memory. Call flt_hash_added() after HASH_ADD*(). If it returns false, the entry is not
 * in the table, and the caller still owns the entry. Use index/index.h for a table that is
 * searched for every fault.
 */
#ifndef FLT_HASH_TABLE_H
#define FLT_HASH_TABLE_H

#include <stdbool.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Return true if the last HASH_ADD*() of this handle had enough memory. */
static inline bool flt_hash_added(const UT_hash_handle *handle)
{
	return handle->tbl;
}

#endif
