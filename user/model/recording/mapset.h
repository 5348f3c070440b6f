/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapset.h - what is mapped where in one image: pieces in order of address, each
 * of one map. Shared between images until one of them changes (fork).
 */
#ifndef FLT_MODEL_MAPSET_H
#define FLT_MODEL_MAPSET_H

#include <stdint.h>

/* As many as the kernel allows by default; a file with more is damaged. */
#define FLT_MAP_SET_PIECES 65536u

struct flt_map_set;

/* An empty set; free with flt_map_set_put(). */
struct flt_map_set *flt_map_set_new(void);
struct flt_map_set *flt_map_set_get(struct flt_map_set *set);
void flt_map_set_put(struct flt_map_set *set);

/*
 * [start, end) is `map` now, or nothing if map is ~0. May replace *set by a copy.
 * -ENOMEM, -E2BIG.
 */
int flt_map_set_change(struct flt_map_set **set, uint64_t start, uint64_t end, uint32_t map);
/* The map at address, or ~0. */
uint32_t flt_map_set_find(struct flt_map_set *set, uint64_t address);
/* The map of piece i, in order of address; ~0 behind the last. */
uint32_t flt_map_set_piece(const struct flt_map_set *set, uint32_t i);

#endif
