// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/page.h"

#include "view/assets.h"
#include "view/xml.h"

void flt_page_open(FILE *out, const char *title, const char *subtitle)
{
	/* No network, whatever a name in the recording tries. */
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'; img-src data:\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", out);
	flt_xml_text(out, title);
	fprintf(out, "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n%s%s</style>\n</head>\n<body>\n<h1>", flt_asset_page_css,
		flt_asset_flame_css);
	flt_xml_text(out, title);
	fputs("</h1>\n<p class=\"note\">", out);
	flt_xml_text(out, subtitle);
	fputs("</p>\n", out);
}

void flt_page_section(FILE *out, const char *title, const char *note)
{
	fputs("<h2>", out);
	flt_xml_text(out, title);
	fputs("</h2>\n", out);
	if (!note)
		return;
	fputs("<p class=\"note\">", out);
	flt_xml_text(out, note);
	fputs("</p>\n", out);
}

void flt_page_fact(FILE *out, const char *name, const char *value)
{
	fputs("<div class=\"fact\"><span>", out);
	flt_xml_text(out, name);
	fputs("</span><b>", out);
	flt_xml_text(out, value);
	fputs("</b></div>\n", out);
}

void flt_page_table_open(FILE *out, const char *const *heads, size_t n, size_t numbers)
{
	size_t i;

	fputs("<div class=\"wide\"><table>\n<thead><tr>", out);
	for (i = 0; i < n; i++) {
		fputs(i < numbers ? "<th scope=\"col\" class=\"number\">" : "<th scope=\"col\">", out);
		flt_xml_text(out, heads[i]);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
}

void flt_page_table_row(FILE *out, const char *const *cells, size_t n, size_t numbers)
{
	size_t i;

	fputs("<tr>", out);
	for (i = 0; i < n; i++) {
		fputs(i < numbers ? "<td class=\"number\">" : "<td>", out);
		flt_xml_text(out, cells[i]);
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

void flt_page_table_close(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

void flt_page_close(FILE *out)
{
	fprintf(out, "<script>\n%s%s</script>\n</body>\n</html>\n", flt_asset_flame_js, flt_asset_page_js);
}
