/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.h - the names of threads, by image and thread id. */
#ifndef FLT_MODEL_THREADS_H
#define FLT_MODEL_THREADS_H

#include <stdint.h>

struct flt_threads;

struct flt_threads *flt_threads_new(void);
void flt_threads_free(struct flt_threads *t);
/* comm must outlive t. -ENOMEM, -E2BIG. */
int flt_threads_set(struct flt_threads *t, uint32_t image, uint32_t tid, const char *comm);
/* NULL: unknown. */
const char *flt_threads_comm(const struct flt_threads *t, uint32_t image, uint32_t tid);

#endif
