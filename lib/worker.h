/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* worker.h - the pager's threads. */
#ifndef FLTUFFD_WORKER_H
#define FLTUFFD_WORKER_H

/* Serve page faults until the pager's eventfd is readable. For pthread_create(). */
void *fltuffd_worker(void *pager);

#endif
