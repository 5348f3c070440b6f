// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rlimit.c - getrlimit(), setrlimit() and prlimit().
 *
 * The kernel counts the region and its shadow in RLIMIT_AS and RLIMIT_DATA, where the program
 * means its own memory. So each finite limit in the kernel is larger than the program's limit,
 * by the addresses of the recorder. fltctl decides by how much, and all images of a recording
 * agree. The kernel would allow the program all of the region, so mmap() asks here first.
 *
 * A program without a recorder inherits the larger limit. Limits that another process sets are
 * not adjusted.
 */
#include "rlimit.h"

#include "argument.h"
#include "image/image.h"
#include "range.h"
#include "region/region.h"
#include "region/shadow.h"

#include <errno.h>

/* The program's soft limits. They are kept, because a filtered image must not ask for them. */
static struct {
	bool known;
	rlim_t as, data;
} own;

static rlim_t of_kernel(rlim_t l)
{
	const rlim_t more = rec_image.config.addresses;

	return l < RLIM_INFINITY - more ? l + more : RLIM_INFINITY;
}

static rlim_t of_program(rlim_t l)
{
	const rlim_t more = rec_image.config.addresses;

	if (l == RLIM_INFINITY)
		return l;
	return l > more ? l - more : 0;
}

static rlim_t ask(unsigned int resource)
{
	struct rlimit l = { RLIM_INFINITY, RLIM_INFINITY };

	sys4(SYS_prlimit64, 0, resource, 0, &l);
	return of_program(l.rlim_cur);
}

static void learn(void)
{
	if (own.known || rec_image.filtered)
		return;
	own.as = ask(RLIMIT_AS);
	own.data = ask(RLIMIT_DATA);
	own.known = true;
}

static bool exceeds(rlim_t limit, size_t bytes, bool heap)
{
	/*
	 * Only pages with content count. The rest may be addresses that the heap keeps after
	 * free(), where libc's heap would have unmapped them.
	 */
	uint64_t used = (rec_region.resident + rec_shadow.pages) * FLT_PAGE;

	return bytes > limit || used > limit || (!heap && bytes > limit - used);
}

bool rec_rlimit_forbids(size_t bytes, bool data, bool heap)
{
	learn();
	if (!own.known)
		return false;
	/* RLIMIT_DATA 0 means the hard limit (may_expand_vm()). */
	return (own.as != RLIM_INFINITY && exceeds(own.as, bytes, heap)) ||
	       (data && own.data && own.data != RLIM_INFINITY && exceeds(own.data, bytes, heap));
}

/* Return true if the limit is one that the recorder adjusts. Also in children without recorder. */
static bool is_adjusted(pid_t pid, unsigned int resource)
{
	if (!rec_image.config.addresses || (resource != RLIMIT_AS && resource != RLIMIT_DATA))
		return false;
	return !pid || pid == rec_image.pid || pid == (pid_t)sys0(SYS_getpid);
}

/* A child of vfork() has limits of its own, but shares this memory. */
static bool is_this_image(void)
{
	return rec_image_is_ready() && rec_image.pid == (int)sys0(SYS_getpid);
}

long rec_rlimit_call(long n, pid_t pid, unsigned int resource, const struct rlimit *new,
		     struct rlimit *old)
{
	bool adjusted = is_adjusted(pid, resource);
	struct rlimit larger;
	long ret;

	if (adjusted && new) {
		if (!rec_argument_read(&larger, new, sizeof(larger)))
			return rec_range_result(-EFAULT);
		larger.rlim_cur = of_kernel(larger.rlim_cur);
		larger.rlim_max = of_kernel(larger.rlim_max);
		new = &larger;
	}
	if (n == SYS_prlimit64)
		ret = sys4(n, pid, resource, new, old);
	else
		ret = sys2(n, resource, new ? (void *)new : old);
	if (!ret && adjusted && old) {
		old->rlim_cur = of_program(old->rlim_cur);
		old->rlim_max = of_program(old->rlim_max);
	}
	if (!ret && adjusted && new && !rec_image.filtered && is_this_image()) {
		own.known = false;
		learn();
	}
	return rec_range_result(ret);
}

REC_EXPORT int getrlimit(__rlimit_resource_t resource, struct rlimit *l)
{
	return (int)rec_rlimit_call(SYS_prlimit64, 0, resource, NULL, l);
}

REC_EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *l)
{
	return (int)rec_rlimit_call(SYS_prlimit64, 0, resource, l, NULL);
}

REC_EXPORT int prlimit(pid_t pid, __rlimit_resource_t resource, const struct rlimit *new,
		       struct rlimit *old)
{
	return (int)rec_rlimit_call(SYS_prlimit64, pid, resource, new, old);
}

REC_EXPORT int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *l)
	__attribute__((alias("getrlimit")));
REC_EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *l)
	__attribute__((alias("setrlimit")));
REC_EXPORT int prlimit64(pid_t pid, __rlimit_resource_t resource, const struct rlimit64 *new,
			 struct rlimit64 *old) __attribute__((alias("prlimit")));
