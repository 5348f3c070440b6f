/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epilogue.h - how a function without unwind tables returns to its caller. */
#ifndef FLT_REC_EPILOGUE_H
#define FLT_REC_EPILOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_EPILOGUE_KEPT (-1)

struct rec_epilogue {
	/* Where the return address is, and the saved registers by x86 number; in bytes above sp. */
	int32_t return_offset;
	int32_t saved[16];	/* REC_EPILOGUE_KEPT: not saved */
};

/*
 * Decode the code that follows a call. Return false unless the function only gives up its frame
 * and returns.
 */
bool rec_epilogue_decode(const uint8_t *code, size_t size, struct rec_epilogue *epilogue);

#endif
