/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread_block.h - rec_thread_block(): prepare the zeroed memory of a task that has no thread of
 * libc, so that it may call functions of libc that set errno. Returns the value of its thread
 * pointer. The stack of the task is [stack, top), with a page above it.
 */
#ifndef FLT_REC_ARCH_THREAD_BLOCK_H
#define FLT_REC_ARCH_THREAD_BLOCK_H

#ifdef __x86_64__
#include "arch/x86/thread_block.h"
#else
#include "arch/arm64/thread_block.h"
#endif

#endif
