/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runtime.h - recognize programs that manage memory past the recorder. */
#ifndef FLT_CMD_RECORD_RUNTIME_H
#define FLT_CMD_RECORD_RUNTIME_H

/*
 * Return why a dynamically linked program keeps most of its memory where the recorder cannot limit
 * it, as a clause, or NULL. A missing or damaged program is NULL, because exec reports it.
 */
const char *flt_record_runtime(const char *program);

#endif
