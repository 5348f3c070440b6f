/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pagemap.h - page states from the kernel's page tables. */
#ifndef FLT_REC_PAGEMAP_H
#define FLT_REC_PAGEMAP_H

/*
 * Set the states and accounts of all pages of a forked child from its page tables. The child
 * has one thread and no server yet, so no lock is needed. Return 0 or -errno.
 */
int rec_pagemap_rebuild(void);

#endif
