// SPDX-License-Identifier: LGPL-2.1-or-later
/* history.c - record faults in order; replay an order by loading pages ahead of the faults. */
#include "history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SEARCH 65536	/* most entries searched for a fault that is out of order */

void fltuffd_note(struct fltuffd *p, const struct fltuffd_record *r)
{
	if (!p->record)
		return;
	if (p->recorded < p->config.records)
		p->record[p->recorded++] = *r;
	else
		p->unrecorded++;
}

ssize_t fltuffd_records(struct fltuffd *p, struct fltuffd_record *out, size_t n, uint64_t *lost)
{
	if (!p->record)
		return -ENODATA;
	pthread_mutex_lock(&p->lock);
	if (n > p->recorded)
		n = p->recorded;
	memcpy(out, p->record, n * sizeof(*out));
	if (lost)
		*lost = p->unrecorded;
	pthread_mutex_unlock(&p->lock);
	return (ssize_t)n;
}

int fltuffd_replay(struct fltuffd *p, const uint64_t *offset, size_t n, unsigned int ahead)
{
	uint32_t *order = NULL, *old;

	if (n) {
		order = malloc(n * sizeof(*order));
		if (!order)
			return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		if (offset[i] / FLT_PAGE >= p->region.count) {
			free(order);
			return -ERANGE;
		}
		order[i] = (uint32_t)(offset[i] / FLT_PAGE);
	}
	pthread_mutex_lock(&p->lock);
	old = p->order;
	p->order = order;
	p->order_n = n;
	p->order_at = 0;
	p->ahead = ahead;
	pthread_mutex_unlock(&p->lock);
	free(old);
	return 0;
}

size_t fltuffd_next(struct fltuffd *p, size_t page, uint32_t *out, size_t n)
{
	size_t i, looks = p->order_n < SEARCH ? p->order_n : SEARCH, k;

	if (n > p->ahead)
		n = p->ahead;
	if (!p->order_n || !n)
		return 0;
	/* Search from the last position, once round. */
	for (i = 0; i < looks; i++)
		if (p->order[(p->order_at + i) % p->order_n] == page)
			break;
	if (i == looks)
		return 0;
	p->order_at = (p->order_at + i + 1) % p->order_n;
	for (k = 0; k < n && p->order_at + k < p->order_n; k++)
		out[k] = p->order[p->order_at + k];
	return k;
}
