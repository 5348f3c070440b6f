/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xml.h - escape text for SVG and HTML. */
#ifndef FLT_VIEW_XML_H
#define FLT_VIEW_XML_H

#include <stdio.h>

/* Write text escaped for elements and quoted attributes. Control characters: flt_escape_text(). */
void flt_xml_text(FILE *out, const char *text);

#endif
