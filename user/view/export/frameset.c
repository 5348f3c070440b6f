// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/export/frameset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index/hash_table.h"

/* A function is its name and its object: two pointers, without padding between them. */
struct key {
	const char *name, *object;
};

struct function {
	UT_hash_handle hh;
	struct key key;
	uint32_t id;
};

/* Store the number of the frame's function, which is added if it is new. */
static int number(struct flt_frameset *set, struct function **table, struct function *fresh,
		  const struct flt_flame_frame *frame, uint32_t *id)
{
	struct function *old;

	fresh->key = (struct key){ frame->name, frame->object };
	HASH_FIND(hh, *table, &fresh->key, sizeof(fresh->key), old);
	if (old) {
		*id = old->id;
		return 0;
	}
	*id = fresh->id = set->count;
	HASH_ADD(hh, *table, key, sizeof(fresh->key), fresh);
	if (!flt_hash_added(&fresh->hh))
		return -ENOMEM;
	set->functions[set->count++] = frame;
	return 0;
}

int flt_frameset_make(struct flt_frameset *set, const struct flt_flame_frame *frames, size_t n)
{
	struct function *functions = calloc(n + 1, sizeof(*functions)), *table = NULL;
	int err = 0;
	size_t i;

	memset(set, 0, sizeof(*set));
	set->ids = calloc(n + 1, sizeof(*set->ids));
	set->functions = calloc(n + 1, sizeof(*set->functions));
	if (!functions || !set->ids || !set->functions)
		err = -ENOMEM;
	for (i = 0; i < n && !err; i++)
		err = number(set, &table, &functions[set->count], &frames[i], &set->ids[i]);
	HASH_CLEAR(hh, table);
	free(functions);
	if (err)
		flt_frameset_free(set);
	return err;
}

void flt_frameset_free(struct flt_frameset *set)
{
	free(set->functions);
	free(set->ids);
	memset(set, 0, sizeof(*set));
}
