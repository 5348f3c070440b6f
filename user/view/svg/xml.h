/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xml.h - text into SVG and HTML, so that it stays text. */
#ifndef FLT_VIEW_XML_H
#define FLT_VIEW_XML_H

#include <stdio.h>

/* Good in elements and in quoted attributes; control characters as flt_escape_text() has them. */
void flt_xml_text(FILE *out, const char *text);

#endif
