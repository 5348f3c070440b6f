/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard, because trace headers are included more than once. */
#include_next <trace/events/huge_memory.h>
#include <flt_compat.h>

/*
 * What the tracepoints of khugepaged say about the page has changed several times. flt does not
 * use these arguments. A tracepoint with an unknown prototype is not used: FLT_..._FITS is 0.
 */
#define FLT_SCAN_PMD_FITS (FLT_HAVE_SCAN_PMD_PAGE || FLT_HAVE_SCAN_PMD_FOLIO || \
			   FLT_HAVE_SCAN_PMD_ONLY_FOLIO || FLT_HAVE_SCAN_PMD_PFN)
#undef FLT_SCAN_PMD_PAGE
#if FLT_HAVE_SCAN_PMD_PAGE
#define FLT_SCAN_PMD_PAGE struct page *page, bool writable
#elif FLT_HAVE_SCAN_PMD_FOLIO
#define FLT_SCAN_PMD_PAGE struct folio *folio, bool writable
#elif FLT_HAVE_SCAN_PMD_ONLY_FOLIO
#define FLT_SCAN_PMD_PAGE struct folio *folio
#else
#define FLT_SCAN_PMD_PAGE unsigned long pfn
#endif

#undef flt_check_scan_pmd
#if FLT_SCAN_PMD_FITS
#define flt_check_scan_pmd(probe) check_trace_callback_type_mm_khugepaged_scan_pmd(probe)
#else
#define flt_check_scan_pmd(probe) ((void)(probe))
#endif

/* Before 6.1 there was no such tracepoint. */
#define FLT_SCAN_FILE_FITS \
	(FLT_HAVE_SCAN_FILE_PFN || FLT_HAVE_SCAN_FILE_FOLIO || FLT_HAVE_SCAN_FILE_PAGE)
#undef FLT_SCAN_FILE_PAGE
#if FLT_HAVE_SCAN_FILE_PFN
#define FLT_SCAN_FILE_PAGE unsigned long pfn
#elif FLT_HAVE_SCAN_FILE_FOLIO
#define FLT_SCAN_FILE_PAGE struct folio *folio
#else
#define FLT_SCAN_FILE_PAGE struct page *page
#endif

#undef flt_check_scan_file
#if FLT_SCAN_FILE_FITS
#define flt_check_scan_file(probe) check_trace_callback_type_mm_khugepaged_scan_file(probe)
#else
#define flt_check_scan_file(probe) ((void)(probe))
#endif

/* The order of the folio that khugepaged wants to make. Before 7.3 always that of a PMD. */
#define FLT_COLLAPSE_FITS (FLT_HAVE_COLLAPSE || FLT_HAVE_COLLAPSE_ORDER)
#undef FLT_COLLAPSE_PROBE
#undef flt_collapse_order
#if FLT_HAVE_COLLAPSE_ORDER
#define FLT_COLLAPSE_PROBE(name) \
	void name(void *data, struct mm_struct *mm, int isolated, int status, unsigned int order)
#define flt_collapse_order order
#else
#define FLT_COLLAPSE_PROBE(name) \
	void name(void *data, struct mm_struct *mm, int isolated, int status)
#define flt_collapse_order (PMD_SHIFT - PAGE_SHIFT)
#endif

#undef flt_check_collapse
#if FLT_COLLAPSE_FITS
#define flt_check_collapse(probe) check_trace_callback_type_mm_collapse_huge_page(probe)
#else
#define flt_check_collapse(probe) ((void)(probe))
#endif
