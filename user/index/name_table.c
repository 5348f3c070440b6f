// SPDX-License-Identifier: GPL-2.0-or-later
#include "index/name_table.h"

#include <errno.h>
#include <stdlib.h>

#include "index/hash_table.h"

/* Limit of memory for malicious files. */
#define NAMES_MAX (4u << 20)

struct flt_name {
	UT_hash_handle hh;
	uint64_t key[2];
	const char *name;
};

static struct flt_name *name_find(const struct flt_name_table *t, uint64_t a, uint64_t b)
{
	const uint64_t key[2] = { a, b };
	struct flt_name *name;

	HASH_FIND(hh, t->names, key, sizeof(key), name);
	return name;
}

int flt_name_table_set(struct flt_name_table *t, uint64_t a, uint64_t b, const char *text)
{
	struct flt_name *name = name_find(t, a, b);

	if (name) {
		name->name = text;
		return 0;
	}
	if (HASH_COUNT(t->names) >= NAMES_MAX)
		return -E2BIG;
	name = calloc(1, sizeof(*name));
	if (!name)
		return -ENOMEM;
	name->key[0] = a;
	name->key[1] = b;
	name->name = text;
	HASH_ADD(hh, t->names, key, sizeof(name->key), name);
	if (!flt_hash_added(&name->hh)) {
		free(name);
		return -ENOMEM;
	}
	return 0;
}

const char *flt_name_table_get(const struct flt_name_table *t, uint64_t a, uint64_t b)
{
	const struct flt_name *name = name_find(t, a, b);

	return name ? name->name : NULL;
}

void flt_name_table_free(struct flt_name_table *t)
{
	struct flt_name *name, *next;

	HASH_ITER(hh, t->names, name, next) {
		HASH_DEL(t->names, name);
		free(name);
	}
}

int flt_name_table_each(const struct flt_name_table *t,
			int (*fn)(void *arg, uint64_t a, uint64_t b, const char *name), void *arg)
{
	const struct flt_name *name;
	int ret;

	for (name = t->names; name; name = name->hh.next) {
		ret = fn(arg, name->key[0], name->key[1], name->name);
		if (ret)
			return ret;
	}
	return 0;
}
