// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/growth.h"

void flt_growth_add(uint64_t *sum, uint64_t *last, const uint64_t *now, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (now[i] <= last[i])
			continue;
		sum[i] += now[i] - last[i];
		last[i] = now[i];
	}
}
