/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_STUB_H
#define FLT_REC_X86_STUB_H

#define REC_STUB_PUSH(r) "pushq %" #r "\n.cfi_adjust_cfa_offset 8\n"
#define REC_STUB_POP(r) "popq %" #r "\n.cfi_adjust_cfa_offset -8\n"

/* The check returns before the call, because the call may return twice or on another stack. */
#define REC_STUB_FORK(n) \
	"cmpl $" REC_STUB_TEXT(n) ", %edi\njne 2f\n" \
	REC_STUB_PUSH(rdi) REC_STUB_PUSH(rsi) REC_STUB_PUSH(rdx) \
	REC_STUB_PUSH(rcx) REC_STUB_PUSH(r8) REC_STUB_PUSH(r9) \
	"subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n" \
	"call rec_clone_is_fork\n" \
	"addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n" \
	REC_STUB_POP(r9) REC_STUB_POP(r8) REC_STUB_POP(rcx) \
	REC_STUB_POP(rdx) REC_STUB_POP(rsi) REC_STUB_POP(rdi) \
	"testb %al, %al\njne rec_clone_fork\n2:\n"
#define REC_STUB_FORWARD(n) "cmpl $" REC_STUB_TEXT(n) ", %edi\nje rec_syscall_replaced\n"

__asm__(".text\n.globl syscall\n.type syscall,@function\nsyscall:\n.cfi_startproc\n"
	REC_STUB_FORWARD(__NR_mmap) REC_STUB_FORWARD(__NR_munmap) REC_STUB_FORWARD(__NR_mremap)
	REC_STUB_FORWARD(__NR_madvise) REC_STUB_FORWARD(__NR_mprotect) REC_STUB_FORWARD(__NR_mlock)
	REC_STUB_FORWARD(__NR_mlock2) REC_STUB_FORWARD(__NR_mlockall)
	REC_STUB_FORWARD(__NR_shmat) REC_STUB_FORWARD(__NR_process_madvise)
	REC_STUB_FORWARD(__NR_sigaltstack) REC_STUB_FORWARD(__NR_rt_sigaction)
	REC_STUB_FORWARD(__NR_futex)
	REC_STUB_FORWARD(__NR_close)
	REC_STUB_FORWARD(__NR_close_range) REC_STUB_FORWARD(__NR_dup2) REC_STUB_FORWARD(__NR_dup3)
	REC_STUB_FORWARD(__NR_fcntl) REC_STUB_FORWARD(__NR_ioctl) REC_STUB_FORWARD(__NR_getrlimit)
	REC_STUB_FORWARD(__NR_setrlimit) REC_STUB_FORWARD(__NR_prlimit64)
	REC_STUB_FORWARD(__NR_prctl) REC_STUB_FORWARD(__NR_seccomp)
	REC_STUB_FORK(__NR_fork) REC_STUB_FORK(__NR_clone) REC_STUB_FORK(__NR_clone3)
	"movq %rdi, %rax\nmovq %rsi, %rdi\nmovq %rdx, %rsi\nmovq %rcx, %rdx\n"
	"movq %r8, %r10\nmovq %r9, %r8\nmovq 8(%rsp), %r9\nsyscall\n"
	"cmpq $-4095, %rax\njae 1f\nret\n"
	"1: negl %eax\n" REC_STUB_PUSH(rax) "call __errno_location@PLT\n" REC_STUB_POP(rcx)
	"movl %ecx, (%rax)\norq $-1, %rax\nret\n.cfi_endproc\n.size syscall, .-syscall\n");

#endif
