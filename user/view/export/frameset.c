// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/export/frameset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int flt_frameset_make(struct flt_frameset *set, const struct flt_flame_frame *frames, size_t n)
{
	uint32_t at;
	size_t i;

	memset(set, 0, sizeof(*set));
	for (set->mask = 63; set->mask < n * 2; set->mask = set->mask * 2 + 1)
		;
	set->slots = calloc((size_t)set->mask + 1, sizeof(*set->slots));
	set->ids = calloc(n + 1, sizeof(*set->ids));
	set->functions = calloc(n + 1, sizeof(*set->functions));
	if (!set->slots || !set->ids || !set->functions) {
		flt_frameset_free(set);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		at = (uint32_t)((((uintptr_t)frames[i].name ^ (uintptr_t)frames[i].object << 9) * 0x9e3779b97f4a7c15ull) >> 32) & set->mask;
		for (; set->slots[at]; at = (at + 1) & set->mask)
			if (set->functions[set->slots[at] - 1]->name == frames[i].name &&
			    set->functions[set->slots[at] - 1]->object == frames[i].object)
				break;
		if (!set->slots[at]) {
			set->functions[set->count++] = &frames[i];
			set->slots[at] = set->count;
		}
		set->ids[i] = set->slots[at] - 1;
	}
	return 0;
}

void flt_frameset_free(struct flt_frameset *set)
{
	free(set->functions);
	free(set->ids);
	free(set->slots);
	memset(set, 0, sizeof(*set));
}
