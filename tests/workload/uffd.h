/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uffd.h - a range whose missing pages are answered by a thread of ours. */
#ifndef UFFD_H
#define UFFD_H

#include <stddef.h>

#define UFFD_MISSING 1
#define UFFD_WP 2

/* Opens a userfaultfd and registers [base, base + len). Ends the program on error. */
int uffd_open(void *base, size_t len, int mode);

/* The next page fault, or 0 when the descriptor was closed or the poll timed out. */
unsigned long uffd_next(int fd, int timeout_ms);

void uffd_copy(int fd, unsigned long addr);
void uffd_wake(int fd, unsigned long addr);
void uffd_unprotect(int fd, unsigned long addr);

#endif
