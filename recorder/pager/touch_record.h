/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch_record.h - record first touches of granted pages. Callers hold the pager lock. */
#ifndef FLT_REC_TOUCH_RECORD_H
#define FLT_REC_TOUCH_RECORD_H

#include "thread/thread.h"
#include "thread/touch_sample.h"

/*
 * Record a touch by its sample. Set t->too_deep if the stack is larger than the copy. self: the
 * calling thread or the server.
 */
void rec_touch_record(const struct rec_touch_sample *touch, struct rec_thread *t, uint32_t self);
/*
 * Record a touch without a sample: of a system call that fills memory without a fault, of a thread
 * that is not known, or of a thread whose ring was full. tid: the thread that had the grant.
 */
void rec_touch_record_unseen(uintptr_t address, uint32_t tid);

#endif
