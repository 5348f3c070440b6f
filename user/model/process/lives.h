/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lives.h - which image a process has: its memory from fork or exec to the next
 * exec. Images are numbered from 1 and never again.
 */
#ifndef FLT_MODEL_LIVES_H
#define FLT_MODEL_LIVES_H

#include <stdbool.h>
#include <stdint.h>

struct flt_lives;

struct flt_lives *flt_lives_new(void);
void flt_lives_free(struct flt_lives *lives);

/* The image of a process, 0: none known. */
uint32_t flt_lives_image(const struct flt_lives *lives, uint32_t tgid);
/* A new one from now on: it was forked, has executed, or was first seen. 0: no memory. */
uint32_t flt_lives_begin(struct flt_lives *lives, uint32_t tgid);

#endif
