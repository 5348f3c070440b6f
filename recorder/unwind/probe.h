/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - loads from memory that may be unmapped at any moment. */
#ifndef FLT_REC_PROBE_H
#define FLT_REC_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Load a word. In the server, return false if the memory is unmapped. Not for limited memory:
 * a load from a missing page of the region would wait instead of failing.
 */
bool rec_probe_load(const void *from, uint64_t *word) __attribute__((visibility("hidden")));
/* Install the server's handlers of SIGSEGV and SIGBUS. Call in the server only. */
void rec_probe_install(void);

#endif
