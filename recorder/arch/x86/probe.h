/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_PROBE_H
#define FLT_REC_X86_PROBE_H

#define REC_PROBE_LOAD "movq (%rdi), %rax\nmovq %rax, (%rsi)\nmovl $1, %eax\nret\n"
#define REC_PROBE_FAIL "xorl %eax, %eax\nret\n"

#endif
