/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_STUB_H
#define FLT_REC_ARM64_STUB_H

/* There is no dup2 and no fork: libc makes them by dup3 and clone. */
#define REC_STUB_FORWARD(n) "cmp w0, #" REC_STUB_TEXT(n) "\nb.eq 3f\n"
#define REC_STUB_FORK(n) "cmp w0, #" REC_STUB_TEXT(n) "\nb.eq 4f\n"

/*
 * The check of a fork returns before the call, because the call may return twice or on another
 * stack. hint #34 is bti c, where an indirect call may arrive. 96 bytes hold seven arguments and
 * the frame record.
 */
__asm__(".text\n.globl syscall\n.type syscall,@function\nsyscall:\n.cfi_startproc\nhint #34\n"
	REC_STUB_FORWARD(__NR_mmap) REC_STUB_FORWARD(__NR_munmap) REC_STUB_FORWARD(__NR_mremap)
	REC_STUB_FORWARD(__NR_madvise) REC_STUB_FORWARD(__NR_mprotect) REC_STUB_FORWARD(__NR_mlock)
	REC_STUB_FORWARD(__NR_mlock2) REC_STUB_FORWARD(__NR_mlockall)
	REC_STUB_FORWARD(__NR_shmat) REC_STUB_FORWARD(__NR_process_madvise)
	REC_STUB_FORWARD(__NR_sigaltstack) REC_STUB_FORWARD(__NR_rt_sigaction)
	REC_STUB_FORWARD(__NR_futex)
	REC_STUB_FORWARD(__NR_close)
	REC_STUB_FORWARD(__NR_close_range) REC_STUB_FORWARD(__NR_dup3)
	REC_STUB_FORWARD(__NR_fcntl) REC_STUB_FORWARD(__NR_ioctl)
	REC_STUB_FORWARD(__NR_getrlimit) REC_STUB_FORWARD(__NR_setrlimit)
	REC_STUB_FORWARD(__NR_prlimit64) REC_STUB_FORWARD(__NR_prctl)
	REC_STUB_FORWARD(__NR_seccomp)
	REC_STUB_FORK(__NR_clone) REC_STUB_FORK(__NR_clone3)
	"2: uxtw x8, w0\nmov x0, x1\nmov x1, x2\nmov x2, x3\nmov x3, x4\nmov x4, x5\nmov x5, x6\n"
	"svc #0\ncmn x0, #4095\nb.cs 1f\nret\n"
	"3: b rec_syscall_replaced\n"
	"4: stp x29, x30, [sp, #-96]!\n"
	".cfi_def_cfa_offset 96\n.cfi_offset 29, -96\n.cfi_offset 30, -88\n"
	"mov x29, sp\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\n"
	"str x6, [sp, #64]\nbl rec_clone_is_fork\nand w9, w0, #255\n"
	"ldr x6, [sp, #64]\nldp x4, x5, [sp, #48]\nldp x2, x3, [sp, #32]\nldp x0, x1, [sp, #16]\n"
	"ldp x29, x30, [sp], #96\n"
	".cfi_restore 29\n.cfi_restore 30\n.cfi_def_cfa_offset 0\n"
	"cbz w9, 2b\nb rec_clone_fork\n"
	"1: stp x29, x30, [sp, #-32]!\n"
	".cfi_def_cfa_offset 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24\n"
	"mov x29, sp\nneg w0, w0\nstr w0, [sp, #16]\nbl __errno_location\nldr w1, [sp, #16]\n"
	"str w1, [x0]\nmov x0, #-1\nldp x29, x30, [sp], #32\n"
	".cfi_restore 29\n.cfi_restore 30\n.cfi_def_cfa_offset 0\n"
	"ret\n.cfi_endproc\n.size syscall, .-syscall\n");

#endif
