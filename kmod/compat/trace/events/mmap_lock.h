/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard, because trace headers are included more than once. */
#include <flt_compat.h>

/* Before 5.11 there were no such tracepoints. Until 6.15 they have the path of the cgroup. */
#undef FLT_MMAP_LOCK_ARGS
#if FLT_HAVE_MMAP_LOCK_PATH
#define FLT_MMAP_LOCK_ARGS struct mm_struct *mm, const char *path, bool write
#else
#define FLT_MMAP_LOCK_ARGS struct mm_struct *mm, bool write
#endif

#undef flt_mmap_lock_check
#if FLT_HAVE_MMAP_LOCK_PATH || FLT_HAVE_MMAP_LOCK_MEMCG
#include_next <trace/events/mmap_lock.h>
#define flt_mmap_lock_check(start, taken, released) do {			\
	check_trace_callback_type_mmap_lock_start_locking(start);		\
	check_trace_callback_type_mmap_lock_acquire_returned(taken);		\
	check_trace_callback_type_mmap_lock_released(released);			\
} while (0)
#else
#define flt_mmap_lock_check(start, taken, released)				\
	((void)(start), (void)(taken), (void)(released))
#endif
