/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_ASM_PROCESSOR_H
#define FLT_COMPAT_ASM_PROCESSOR_H

#include_next <asm/processor.h>

/* arm64 of 5.10. TASK_SIZE depends on the thread: it is smaller for programs of 32 bits. */
#ifndef TASK_SIZE_MAX
#define TASK_SIZE_MAX TASK_SIZE_64
#endif

#endif
