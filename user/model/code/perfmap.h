/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfmap.h - perf-PID.map: names of code made by a JIT compiler. */
#ifndef FLT_MODEL_PERFMAP_H
#define FLT_MODEL_PERFMAP_H

#include <stdint.h>

struct flt_perf_map;

/* Return NULL if there is no file, or if it belongs to neither root nor this user. */
struct flt_perf_map *flt_perf_map_load(const char *dir, uint32_t pid);
void flt_perf_map_free(struct flt_perf_map *map);
/* Return the name of the code, or NULL. */
const char *flt_perf_map_find(const struct flt_perf_map *map, uint64_t address, uint64_t *offset);

#endif
