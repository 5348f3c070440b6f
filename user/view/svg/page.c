// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/page.h"

#include "view/svg/assets.h"
#include "view/svg/xml.h"

void flt_page_open(FILE *out, const char *title, const char *subtitle)
{
	/* Forbid all network access, in case a name in the recording was not escaped. */
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'; img-src data:\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
	      out);
	flt_xml_text(out, title);
	fprintf(out,
		"</title>\n<link rel=\"icon\" href=\"data:,\">\n"
		"<style>\n%s%s%s%s%s</style>\n</head>\n<body class=\"kit\">\n<h1>",
		flt_asset_kit_css, flt_asset_page_css, flt_asset_flame_css, flt_asset_atlas_css,
		flt_asset_plot_css);
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

/* Write cells as th or td elements with extra attributes. */
static void cells_write(FILE *out, const char *element, const char *said, const char *const *cells,
			size_t n, size_t numbers)
{
	size_t i;

	for (i = 0; i < n; i++) {
		fprintf(out, "<%s%s%s>", element, said, i < numbers ? " class=\"number\"" : "");
		flt_xml_text(out, cells[i]);
		fprintf(out, "</%s>", element);
	}
}

void flt_page_table_open(FILE *out, const char *const *heads, size_t n, size_t numbers)
{
	fputs("<div class=\"wide\"><table>\n<thead><tr>", out);
	cells_write(out, "th", " scope=\"col\"", heads, n, numbers);
	fputs("</tr></thead>\n<tbody>\n", out);
}

void flt_page_table_row(FILE *out, const char *const *cells, size_t n, size_t numbers)
{
	fputs("<tr>", out);
	cells_write(out, "td", "", cells, n, numbers);
	fputs("</tr>\n", out);
}

void flt_page_table_close(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

void flt_page_close(FILE *out)
{
	fprintf(out, "<script>\n%s%s</script>\n</body>\n</html>\n", flt_asset_flame_js,
		flt_asset_atlas_js);
}
