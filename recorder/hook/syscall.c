// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscall.c - calls made through libc's syscall() that the recorder replaces.
 *
 * syscall() is in assembly, as in libc, because a call such as vfork or clone may return twice
 * or on another stack. A C function would not survive that.
 */
#include "seccomp.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

long rec_syscall_replaced(long n, long a, long b, long c, long d, long e, long f)
	__attribute__((visibility("hidden")));

long rec_syscall_replaced(long n, long a, long b, long c, long d, long e, long f)
{
	switch (n) {
	case SYS_mmap:
		return (long)mmap((void *)a, (size_t)b, (int)c, (int)d, (int)e, f);
	case SYS_munmap:
		return munmap((void *)a, (size_t)b);
	case SYS_mremap:
		return (long)mremap((void *)a, (size_t)b, (size_t)c, (int)d, (void *)e);
	case SYS_madvise:
		return madvise((void *)a, (size_t)b, (int)c);
	case SYS_mprotect:
		return mprotect((void *)a, (size_t)b, (int)c);
	case SYS_mlock:
		return mlock((void *)a, (size_t)b);
	case SYS_mlockall:
		return mlockall((int)a);
	case SYS_close:
		return close((int)a);
	case SYS_close_range:
		return close_range((unsigned int)a, (unsigned int)b, (int)c);
	case SYS_dup2:
		return dup2((int)a, (int)b);
	case SYS_dup3:
		return dup3((int)a, (int)b, (int)c);
	case SYS_ioctl:
		return ioctl((int)a, (unsigned long)b, c);
	case SYS_prctl:
		return prctl((int)a, b, c, d, e);
	default:
		return rec_seccomp((unsigned int)a, (unsigned int)b, (void *)c);
	}
}

#define TEXT_OF(n) #n
#define TEXT(n) TEXT_OF(n)
/* The check returns before the call, because the call may return twice or on another stack. */
#define FORK(n) \
	"cmpl $" TEXT(n) ", %edi\njne 2f\n" \
	"pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\nsubq $8, %rsp\n" \
	"call rec_clone_is_fork\naddq $8, %rsp\n" \
	"popq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n" \
	"testb %al, %al\njne rec_clone_fork\n2:\n"
#define FORWARD(n) "cmpl $" TEXT(n) ", %edi\nje rec_syscall_replaced\n"

__asm__(".text\n.globl syscall\n.type syscall,@function\nsyscall:\n"
	FORWARD(__NR_mmap) FORWARD(__NR_munmap) FORWARD(__NR_mremap) FORWARD(__NR_madvise)
	FORWARD(__NR_mprotect) FORWARD(__NR_mlock) FORWARD(__NR_mlockall)
	FORWARD(__NR_close) FORWARD(__NR_close_range) FORWARD(__NR_dup2) FORWARD(__NR_dup3)
	FORWARD(__NR_ioctl) FORWARD(__NR_prctl) FORWARD(__NR_seccomp)
	FORK(__NR_fork) FORK(__NR_clone) FORK(__NR_clone3)
	"movq %rdi, %rax\nmovq %rsi, %rdi\nmovq %rdx, %rsi\nmovq %rcx, %rdx\n"
	"movq %r8, %r10\nmovq %r9, %r8\nmovq 8(%rsp), %r9\nsyscall\n"
	"cmpq $-4095, %rax\njae 1f\nret\n"
	"1: negl %eax\npushq %rax\ncall __errno_location@PLT\npopq %rcx\nmovl %ecx, (%rax)\n"
	"orq $-1, %rax\nret\n.size syscall, .-syscall\n");
