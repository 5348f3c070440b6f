// SPDX-License-Identifier: GPL-2.0-or-later
#include "errand.h"

#include "image/image.h"
#include "lib/core/uffd.h"
#include "region/region.h"

#include <errno.h>
#include <sys/mman.h>

static struct {
	struct rec_errand errand;
	bool asked, taken;
	int result;
	unsigned int turn;	/* the page of the errand: 0 or 1 */
} state;

static size_t page_of(unsigned int turn)
{
	return rec_region.count - 1 - REC_ERRAND_PAGES + turn;
}

bool rec_errand_is_needed(void)
{
	/* After mlockall() the server has no page left to serve. */
	return rec_image.filtered && rec_page_state(page_of(0)) == PAGE_EMPTY;
}

int rec_errand_ask(enum rec_errand_kind kind, size_t first, size_t end)
{
	state.errand = (struct rec_errand){ kind, first, end };
	state.taken = false;
	state.turn = !state.turn;
	__atomic_store_n(&state.asked, true, __ATOMIC_RELEASE);
	*(volatile char *)rec_page_address(page_of(state.turn));
	return state.result;
}

bool rec_errand_is_asked(void)
{
	return __atomic_load_n(&state.asked, __ATOMIC_ACQUIRE);
}

bool rec_errand_is_at(uintptr_t page)
{
	return rec_errand_is_asked() && page == rec_page_address(page_of(state.turn));
}

const struct rec_errand *rec_errand_take(void)
{
	if (state.taken)
		return NULL;
	state.taken = true;
	return &state.errand;
}

void rec_errand_finish(int result)
{
	state.result = result;
	/* For the next errand. */
	sys3(SYS_madvise, rec_page_address(page_of(!state.turn)), FLT_PAGE, MADV_DONTNEED);
}

bool rec_errand_release(uintptr_t page)
{
	/* First, because the thread may ask again as soon as its page is there. */
	__atomic_store_n(&state.asked, false, __ATOMIC_RELEASE);
	if (uffd_zero(rec_region.uffd, page, FLT_PAGE, 0) == -EAGAIN) {
		__atomic_store_n(&state.asked, true, __ATOMIC_RELEASE);
		return false;
	}
	uffd_wake(rec_region.uffd, page, FLT_PAGE);
	return true;
}
