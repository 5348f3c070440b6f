/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_SIGRETURN_H
#define FLT_REC_X86_SIGRETURN_H

#define REC_SIGRETURN_FLAG 0x04000000	/* SA_RESTORER */

/*
 * Unwinders know the frame of a signal by these instructions of the C library. They look one byte
 * before the return address, so a nop keeps that byte out of another function.
 */
void rec_sigreturn(void);
__asm__(".text\n.globl rec_sigreturn\n.hidden rec_sigreturn\n"
	".type rec_sigreturn,@function\nnop\nrec_sigreturn:\n"
	"movq $15, %rax\nsyscall\n");

#endif
