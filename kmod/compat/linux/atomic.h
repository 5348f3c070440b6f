/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_ATOMIC_H
#define FLT_COMPAT_LINUX_ATOMIC_H

#include_next <linux/atomic.h>

/* arm64 of 5.10 lacks this macro. */
#ifndef try_cmpxchg
#define try_cmpxchg(at, expected, new) ({				\
	typeof(*(at)) *flt_expected = (expected);			\
	typeof(*(at)) flt_old = *flt_expected;				\
									\
	*flt_expected = cmpxchg(at, flt_old, new);			\
	*flt_expected == flt_old;					\
})
#endif

#endif
