/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uffd.h - serve the faults of a memory range with userfaultfd. */
#ifndef UFFD_H
#define UFFD_H

#include <stddef.h>

#define UFFD_MISSING 1
#define UFFD_WP 2
#define UFFD_MINOR 3	/* from 5.14 on */

/* Open a userfaultfd and register [base, base + len). Exit on error. */
int uffd_open(void *base, size_t len, int mode);

/* Return the page address of the next fault, or 0 after a time-out or an error of poll(). */
unsigned long uffd_next(int fd, int timeout_ms);

/* Provide a page and wake the faulting threads. */
void uffd_copy(int fd, unsigned long addr);
/* Map a page that the page cache has, and wake the faulting threads. */
void uffd_continue(int fd, unsigned long addr);
/* Wake the threads that fault in a page without providing it. */
void uffd_wake(int fd, unsigned long addr);
/* Remove the write protection of a page and wake the faulting threads. */
void uffd_unprotect(int fd, unsigned long addr);

#endif
