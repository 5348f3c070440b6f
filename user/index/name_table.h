/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name_table.h - names by a key of two numbers: files by device and inode, threads by image
 * and thread id.
 *
 * The table does not copy names; they must outlive the table. A table that is all zero is
 * empty and ready for use.
 */
#ifndef FLT_NAME_TABLE_H
#define FLT_NAME_TABLE_H

#include <stdint.h>

struct flt_name;

struct flt_name_table {
	struct flt_name *names;
};

/* Set the name of a key, or replace it. -ENOMEM; -E2BIG: the table is full. */
int flt_name_table_set(struct flt_name_table *table, uint64_t a, uint64_t b, const char *name);
/* Return the name of a key, or NULL if it is unknown. */
const char *flt_name_table_get(const struct flt_name_table *table, uint64_t a, uint64_t b);
/* Call fn() for each name, in the order of the first set. Return its first error, or 0. */
int flt_name_table_each(const struct flt_name_table *table,
			int (*fn)(void *arg, uint64_t a, uint64_t b, const char *name), void *arg);
/* Free the memory. The table is empty afterwards. */
void flt_name_table_free(struct flt_name_table *table);

#endif
