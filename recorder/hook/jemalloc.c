// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jemalloc.c - options of the heap, which is linked in.
 *
 * jemalloc calls mmap() and madvise() of this library, so all its memory is in the region. It
 * returns freed pages after one second. With its default of ten seconds they would be evicted
 * as if they had content.
 *
 * The program's MALLOC_CONF applies as well, but the profiler of the heap stays off. So this
 * library needs neither libm nor libgcc_s, which every recorded program would have to load.
 */
#include <stdlib.h>

__attribute__((visibility("default")))
const char *malloc_conf =
	"dirty_decay_ms:1000,muzzy_decay_ms:0,thp:never,metadata_thp:disabled,"
	"background_thread:false";
/* jemalloc reads this last. Without a profiler it would complain about the options. */
#if REC_HEAP_HAS_PROFILER
__attribute__((visibility("default")))
const char *malloc_conf_2_conf_harder = "prof:false,prof_leak:false";
#endif

/* recorder.mk renames the functions of other libraries that only the profiler calls. */
static void run_profiler(void)
{
	abort();
}

#define ONLY_PROFILER __attribute__((visibility("hidden"), alias("run_profiler")))
void rec_jemalloc_exp(void) ONLY_PROFILER;
void rec_jemalloc_log(void) ONLY_PROFILER;
void rec_jemalloc_round(void) ONLY_PROFILER;
void rec_jemalloc__Unwind_Backtrace(void) ONLY_PROFILER;
void rec_jemalloc__Unwind_GetIP(void) ONLY_PROFILER;
