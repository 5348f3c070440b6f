// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * futex.c - words that the kernel itself writes.
 *
 * A fault of such a write (fixup_user_fault() of futexes) is not given to a userfaultfd: the call
 * fails with EFAULT. With priority inheritance the kernel also writes after a sleep, when the lock
 * has a new owner already. So the page of the word must stay resident, out of the limit.
 */
#include "futex.h"

#include "arch/tag.h"
#include "image/image.h"
#include "range.h"
#include "region/region.h"

#include <linux/futex.h>

#ifndef FUTEX_LOCK_PI2	/* Linux 5.14 */
#define FUTEX_LOCK_PI2 13
#endif

/* Keep the page of a word resident. */
static void keep(void *word)
{
	uintptr_t a = rec_tag_remove(word);

	/* A word is aligned, or else the call fails. */
	if (rec_region_contains(a) && rec_page_is_limited(rec_page_at(a)))
		rec_range_eject(word, sizeof(uint32_t));
}

long rec_futex(void *word, int operation, long n, long more, void *other, long last)
{
	/* The server, and so the region, is missing in the child of a raw fork. */
	if (rec_image_is_ready()) {
		switch (operation & FUTEX_CMD_MASK) {
		case FUTEX_LOCK_PI:
		case FUTEX_LOCK_PI2:
		case FUTEX_TRYLOCK_PI:
		case FUTEX_UNLOCK_PI:
			keep(word);
			break;
		case FUTEX_WAKE_OP:
		case FUTEX_WAIT_REQUEUE_PI:
		case FUTEX_CMP_REQUEUE_PI:
			keep(other);
			break;
		}
	}
	return rec_range_result(sys6(SYS_futex, (long)word, operation, n, more, (long)other, last));
}
