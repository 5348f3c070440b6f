/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame - the frames of user stacks, and the registers of a thread in user mode.
 *
 * On both architectures a frame pointer points to the caller's frame pointer, followed by the
 * return address.
 *
 *   flt_frame_is_64bit()	the thread runs 64-bit code
 *   flt_frame_may_be_none()	the function may have no frame yet: the fault is at the instruction
 *				itself, as when a call enters a new page, or where the prologue
 *				saves registers
 *   flt_frame_return_slot()	where the return address is, if @code, the instructions at the
 *				fault, belong to a function without a frame; else 0
 *   flt_frame_return()		the same for architectures that have the address in a register
 *   flt_frame_address()	the address in a word that may have a signature
 *   flt_frame_mask()		keeps aligned user addresses unchanged and makes others harmless
 *   flt_frame_registers()	the registers as DWARF numbers them, see flt_event_registers
 *
 * All but the last are called where no function may be called, so they are inlined.
 */
#ifndef FLT_FRAME_H
#define FLT_FRAME_H

#include <linux/flt.h>
#include <linux/ptrace.h>

#ifdef CONFIG_X86_64
#include "arch/x86/frame.h"
#else
#include "arch/arm64/frame.h"
#endif

#endif
