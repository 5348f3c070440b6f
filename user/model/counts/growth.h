/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * growth.h - counters that never decrease, although the module may be unloaded and loaded again.
 */
#ifndef FLT_MODEL_GROWTH_H
#define FLT_MODEL_GROWTH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Add to `sum` what `now` has more than `last`, counter by counter, and update `last`. A counter
 * that is smaller than before, because a fault in progress changed its kind, adds nothing until it
 * has reached its last value again. After the module was loaded again, the caller sets `last` to 0.
 */
void flt_growth_add(uint64_t *sum, uint64_t *last, const uint64_t *now, size_t count);

#endif
