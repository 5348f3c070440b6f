/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sys.h - system calls without libc.
 *
 * They must not fault, allocate, be cancelled or set errno. Users are the recorder's fault
 * server, which has no libc thread, and the functions of libc that the recorder replaces.
 * Each call returns its result or -errno.
 */
#ifndef FLT_CORE_SYS_H
#define FLT_CORE_SYS_H

#include "arch/syscall.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#define sys0(n)             sys6(n, 0, 0, 0, 0, 0, 0)
#define sys1(n, a)          sys6(n, (long)(a), 0, 0, 0, 0, 0)
#define sys2(n, a, b)       sys6(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define sys3(n, a, b, c)    sys6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define sys4(n, a, b, c, d) sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define sys5(n, a, b, c, d, e) \
	sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

static inline int sys_failed(long ret)
{
	return (unsigned long)ret > -4096UL;
}

static inline void *sys_mmap(void *addr, size_t len, int prot, int flags, int fd,
			     long off)
{
	return (void *)sys6(SYS_mmap, (long)addr, (long)len, prot, flags, fd, off);
}

/*
 * Block all signals of the calling thread, also those that libc uses for cancellation and
 * setuid(). Return the old mask for sys_restore_signals().
 */
static inline uint64_t sys_block_signals(void)
{
	uint64_t all = ~0ULL, old = 0;

	sys4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &old, 8);
	return old;
}

static inline void sys_restore_signals(uint64_t old)
{
	sys4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &old, 0, 8);
}

#endif
