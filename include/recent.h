/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recent.h - definitions that the headers of Debian 11 (Linux 5.10, glibc 2.31) lack. The kernel
 * may lack the feature, so each caller handles the error. A function declared here is NULL if libc
 * lacks it: the recorder defines these functions, and only programs that it preloads may call them.
 */
#ifndef FLT_RECENT_H
#define FLT_RECENT_H

#include <features.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>

/* The kernel's headers know these calls, but glibc does not name them. */
#ifndef SYS_close_range
#define SYS_close_range __NR_close_range
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise __NR_process_madvise
#endif

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4	/* Linux 5.7 */
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22	/* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif
#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)	/* Linux 5.12 */
#endif

/* For code that includes linux/bpf.h */
#ifndef BPF_ATOMIC
#define BPF_ATOMIC 0xc0		/* Linux 5.12 */
#define BPF_FETCH 0x01
#endif

/* Bits of struct perf_event_attr, counted from its bit `disabled`. */
#define PERF_ATTR_BUILD_ID 34		/* Linux 5.12 */
#define PERF_ATTR_REMOVE_ON_EXEC 36	/* Linux 5.13 */

static inline void perf_attr_set(struct perf_event_attr *attr, int bit)
{
	char *at = (char *)attr + offsetof(struct perf_event_attr, read_format) +
		   sizeof(attr->read_format);
	uint64_t bits;

	memcpy(&bits, at, sizeof(bits));
	bits |= 1ull << bit;
	memcpy(at, &bits, sizeof(bits));
}

#if !__GLIBC_PREREQ(2, 33)
struct mallinfo2 {
	size_t arena, ordblks, smblks, hblks, hblkhd;
	size_t usmblks, fsmblks, uordblks, fordblks, keepcost;
};
struct mallinfo2 mallinfo2(void) __attribute__((weak));
#endif
#if !__GLIBC_PREREQ(2, 34)
int close_range(unsigned int first, unsigned int last, int flags) __attribute__((weak));
void closefrom(int first) __attribute__((weak));
int execveat(int dir, const char *path, char *const argv[], char *const env[], int flags)
	__attribute__((weak));
pid_t _Fork(void) __attribute__((weak));
#define _SC_MINSIGSTKSZ (-1)
#endif
#if !__GLIBC_PREREQ(2, 36)
struct iovec;
ssize_t process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice,
			unsigned int flags) __attribute__((weak));
#endif

#endif
