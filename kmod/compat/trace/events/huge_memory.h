/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard, because trace headers are included more than once. */
#include_next <trace/events/huge_memory.h>
#include <linux/version.h>

/*
 * Before 6.7 the tracepoint mm_khugepaged_scan_file passed a struct page instead of a PFN
 * ("mm/khugepaged: convert collapse_file() to use folios" and later commits).
 */
#undef FLT_SCAN_FILE_PAGE
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define FLT_SCAN_FILE_PAGE struct page *
#else
#define FLT_SCAN_FILE_PAGE unsigned long
#endif
