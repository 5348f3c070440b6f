/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_STUB_H
#define FLT_REC_X86_STUB_H

/* The check returns before the call, because the call may return twice or on another stack. */
#define REC_STUB_FORK(n) \
	"cmpl $" REC_STUB_TEXT(n) ", %edi\njne 2f\n" \
	"pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\nsubq $8, %rsp\n" \
	"call rec_clone_is_fork\naddq $8, %rsp\n" \
	"popq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n" \
	"testb %al, %al\njne rec_clone_fork\n2:\n"
#define REC_STUB_FORWARD(n) "cmpl $" REC_STUB_TEXT(n) ", %edi\nje rec_syscall_replaced\n"

__asm__(".text\n.globl syscall\n.type syscall,@function\nsyscall:\n"
	REC_STUB_FORWARD(__NR_mmap) REC_STUB_FORWARD(__NR_munmap) REC_STUB_FORWARD(__NR_mremap)
	REC_STUB_FORWARD(__NR_madvise) REC_STUB_FORWARD(__NR_mprotect) REC_STUB_FORWARD(__NR_mlock)
	REC_STUB_FORWARD(__NR_mlock2) REC_STUB_FORWARD(__NR_mlockall)
	REC_STUB_FORWARD(__NR_shmat) REC_STUB_FORWARD(__NR_process_madvise)
	REC_STUB_FORWARD(__NR_sigaltstack)
	REC_STUB_FORWARD(__NR_close)
	REC_STUB_FORWARD(__NR_close_range) REC_STUB_FORWARD(__NR_dup2) REC_STUB_FORWARD(__NR_dup3)
	REC_STUB_FORWARD(__NR_ioctl) REC_STUB_FORWARD(__NR_getrlimit)
	REC_STUB_FORWARD(__NR_setrlimit) REC_STUB_FORWARD(__NR_prlimit64)
	REC_STUB_FORWARD(__NR_prctl) REC_STUB_FORWARD(__NR_seccomp)
	REC_STUB_FORK(__NR_fork) REC_STUB_FORK(__NR_clone) REC_STUB_FORK(__NR_clone3)
	"movq %rdi, %rax\nmovq %rsi, %rdi\nmovq %rdx, %rsi\nmovq %rcx, %rdx\n"
	"movq %r8, %r10\nmovq %r9, %r8\nmovq 8(%rsp), %r9\nsyscall\n"
	"cmpq $-4095, %rax\njae 1f\nret\n"
	"1: negl %eax\npushq %rax\ncall __errno_location@PLT\npopq %rcx\nmovl %ecx, (%rax)\n"
	"orq $-1, %rax\nret\n.size syscall, .-syscall\n");

#endif
