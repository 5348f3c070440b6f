/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_INSTRUCTION_H
#define FLT_REC_ARM64_INSTRUCTION_H

/* The fault server resolves all faults. The kernel tells it what is a store. */
#define REC_HAS_INLINE false

static inline bool rec_instruction_stores(const uint8_t *code)
{
	(void)code;
	return false;
}

#endif
