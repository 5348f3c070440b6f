// SPDX-License-Identifier: GPL-2.0-or-later
/* syscall.c - calls made through libc's syscall() that the recorder replaces. */
#include "arch/stub.h"
#include "futex.h"
#include "recent.h"
#include "rlimit.h"
#include "seccomp.h"
#include "sigaction.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
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
	case SYS_process_madvise:
		return process_madvise((int)a, (const struct iovec *)b, (size_t)c, (int)d,
				       (unsigned int)e);
	case SYS_mprotect:
		return mprotect((void *)a, (size_t)b, (int)c);
	case SYS_mlock:
		return mlock((void *)a, (size_t)b);
	case SYS_mlock2:
		return mlock2((void *)a, (size_t)b, (unsigned int)c);
	case SYS_mlockall:
		return mlockall((int)a);
	case SYS_shmat:
		return (long)shmat((int)a, (void *)b, (int)c);
	case SYS_close:
		return close((int)a);
	case SYS_close_range:
		return close_range((unsigned int)a, (unsigned int)b, (int)c);
#ifdef SYS_dup2	/* arm64 has dup3 only */
	case SYS_dup2:
		return dup2((int)a, (int)b);
#endif
	case SYS_dup3:
		return dup3((int)a, (int)b, (int)c);
	case SYS_fcntl:
		return fcntl((int)a, (int)b, c);
	case SYS_ioctl:
		return ioctl((int)a, (unsigned long)b, c);
	case SYS_futex:
		return rec_futex((void *)a, (int)b, c, d, (void *)e, f);
	case SYS_getrlimit:
		return rec_rlimit_call(n, 0, (unsigned int)a, NULL, (struct rlimit *)b);
	case SYS_setrlimit:
		return rec_rlimit_call(n, 0, (unsigned int)a, (struct rlimit *)b, NULL);
	case SYS_prlimit64:
		return rec_rlimit_call(n, (pid_t)a, (unsigned int)b, (struct rlimit *)c,
				       (struct rlimit *)d);
	case SYS_rt_sigaction:
		return rec_sigaction_call((int)a, (const void *)b, (void *)c, (size_t)d);
	case SYS_sigaltstack:
		return sigaltstack((const stack_t *)a, (stack_t *)b);
	case SYS_prctl:
		return prctl((int)a, b, c, d, e);
	default:
		return rec_seccomp((unsigned int)a, (unsigned int)b, (void *)c);
	}
}
