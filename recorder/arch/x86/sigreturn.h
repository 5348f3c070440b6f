/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_SIGRETURN_H
#define FLT_REC_X86_SIGRETURN_H

#define REC_SIGRETURN_FLAG 0x04000000	/* SA_RESTORER */

void rec_sigreturn(void);
__asm__(".text\n.globl rec_sigreturn\n.hidden rec_sigreturn\n"
	".type rec_sigreturn,@function\nrec_sigreturn:\n"
	"mov $15, %eax\nsyscall\n");

#endif
