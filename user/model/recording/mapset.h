/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapset.h - the address space of one image: sorted pieces, each belonging to one map.
 *
 * A map is a number that the caller chooses, except ~0. After a fork, parent and child share a
 * set until one of them changes it.
 */
#ifndef FLT_MODEL_MAPSET_H
#define FLT_MODEL_MAPSET_H

#include <stdint.h>

/* The kernel's default limit of mappings. A file with more is damaged. */
#define FLT_MAP_SET_PIECES 65536u
/* A usual budget for the copies of all sets: 192 MiB. */
#define FLT_MAP_SET_COPIED (8u << 20)

struct flt_map_set;

/*
 * Return an empty set, or NULL without memory. Free it with flt_map_set_put(). *budget is the
 * number of pieces that copies of sets may still have, because each fork of a malicious file
 * could otherwise copy FLT_MAP_SET_PIECES. The budget outlives the set.
 */
struct flt_map_set *flt_map_set_new(uint64_t *budget);
struct flt_map_set *flt_map_set_get(struct flt_map_set *set);
void flt_map_set_put(struct flt_map_set *set);

/*
 * Map [start, end) to `map`, or unmap the range if map is ~0. A shared set is copied first, and
 * *set is the copy. Return -ENOMEM, or -E2BIG past FLT_MAP_SET_PIECES or the budget.
 */
int flt_map_set_change(struct flt_map_set **set, uint64_t start, uint64_t end, uint32_t map);
/* Return the map at the address, or ~0 if nothing is mapped there. */
uint32_t flt_map_set_find(struct flt_map_set *set, uint64_t address);
/*
 * Return the first map in [*at, *end), or ~0. Set *at and *end to the part of the range that has
 * this map.
 */
uint32_t flt_map_set_next(const struct flt_map_set *set, uint64_t *at, uint64_t *end);
/* Return the map of piece i, in order of address, or ~0 after the last piece. */
uint32_t flt_map_set_piece(const struct flt_map_set *set, uint32_t i);

#endif
