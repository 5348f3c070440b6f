// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/xml.h"

#include <stdlib.h>
#include <string.h>

#include "text/escape.h"

void flt_xml_text(FILE *out, const char *text)
{
	size_t length = strlen(text), room = length * FLT_ESCAPE_GROWTH + 1;
	char *plain = malloc(room), *at;

	if (!plain) {
		fputs("?", out);
		return;
	}
	flt_escape_text(plain, room, text, length);
	for (at = plain; *at; at++) {
		switch (*at) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*at, out);
		}
	}
	free(plain);
}
