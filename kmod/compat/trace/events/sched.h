/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard, because trace headers are included more than once. */
#include_next <trace/events/sched.h>
#include <flt_compat.h>

/* Without NUMA balancing some kernels do not have these tracepoints. */
#undef flt_check_sched_numa
#if FLT_HAVE_SCHED_NUMA
#define flt_check_sched_numa(move, stick, swap) do {				\
	check_trace_callback_type_sched_move_numa(move);			\
	check_trace_callback_type_sched_stick_numa(stick);			\
	check_trace_callback_type_sched_swap_numa(swap);			\
} while (0)
#else
#define flt_check_sched_numa(move, stick, swap)					\
	((void)(move), (void)(stick), (void)(swap))
#endif
