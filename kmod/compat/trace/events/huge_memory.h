/* SPDX-License-Identifier: GPL-2.0-only */
/* No guard of its own: a trace header may be read more than once. */
#include_next <trace/events/huge_memory.h>
#include <linux/version.h>

/*
 * Until 6.7 mm_khugepaged_scan_file passed a page, not its number ("mm/khugepaged:
 * convert collapse_file() to use folios" and after).
 */
#undef FLT_SCAN_FILE_PAGE
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define FLT_SCAN_FILE_PAGE struct page *
#else
#define FLT_SCAN_FILE_PAGE unsigned long
#endif
