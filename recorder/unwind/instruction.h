/* SPDX-License-Identifier: GPL-2.0-or-later */
/* instruction.h - what the instruction that faulted does. */
#ifndef FLT_REC_INSTRUCTION_H
#define FLT_REC_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

/* Return true if the instruction at `code` stores to memory. */
bool rec_instruction_stores(const uint8_t *code);

#endif
