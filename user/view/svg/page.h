/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.h - a self-contained HTML page: its frame, facts and tables. */
#ifndef FLT_VIEW_PAGE_H
#define FLT_VIEW_PAGE_H

#include <stdio.h>

void flt_page_open(FILE *out, const char *title, const char *subtitle);
void flt_page_section(FILE *out, const char *title, const char *note);
/* Write a fact: name and value. */
void flt_page_fact(FILE *out, const char *name, const char *value);
/* Write a table of n columns. The first `numbers` columns are right-aligned. */
void flt_page_table_open(FILE *out, const char *const *heads, size_t n, size_t numbers);
void flt_page_table_row(FILE *out, const char *const *cells, size_t n, size_t numbers);
void flt_page_table_close(FILE *out);
void flt_page_close(FILE *out);

#endif
