/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epilogue.h - how a function without unwind tables returns to its caller.
 *
 * Trampolines that are generated at run time, such as those of `python -X perf`, have neither
 * unwind tables nor frame pointers. After their call they only release the stack, restore
 * registers and return. Nothing is guessed: code that does anything else is not decoded.
 *
 * rec_epilogue_decode() decodes the code that follows a call. It returns false unless the function
 * only gives up its frame and returns.
 */
#ifndef FLT_REC_ARCH_EPILOGUE_H
#define FLT_REC_ARCH_EPILOGUE_H

#include "arch/registers.h"

#include <stddef.h>
#include <string.h>

#define REC_EPILOGUE_KEPT (-1)
/* A larger frame is not plausible. */
#define REC_EPILOGUE_MAX (1 << 20)

struct rec_epilogue {
	/* Bytes from sp to the registers and the return address. REC_EPILOGUE_KEPT: not saved */
	int32_t saved[REC_COLUMNS];
	int32_t size;		/* bytes between sp and that of the caller */
};

#ifdef __x86_64__
#include "arch/x86/epilogue.h"
#else
#include "arch/arm64/epilogue.h"
#endif

#endif
