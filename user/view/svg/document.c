// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/document.h"

#include "view/svg/assets.h"
#include "view/svg/xml.h"

void flt_svg_open(FILE *out, const struct flt_svg *svg)
{
	if (svg->alone)
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"kit %s\" %s role=\"group\" "
		"aria-label=\"", svg->kind, svg->size);
	flt_xml_text(out, svg->title);
	fputs("\">\n<title>", out);
	flt_xml_text(out, svg->title);
	fputs("</title>\n", out);
	if (svg->alone)
		fprintf(out, "<style><![CDATA[\n%s%s]]></style>\n"
			"<rect class=\"back\" width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
			flt_asset_kit_css, svg->css);
	fprintf(out, "<text class=\"name\" x=\"%u\" y=\"20\">", svg->left);
	flt_xml_text(out, svg->title);
	fputs("</text>\n", out);
	if (!svg->subtitle)
		return;
	fprintf(out, "<text class=\"soft\" x=\"%u\" y=\"37\">", svg->left);
	flt_xml_text(out, svg->subtitle);
	fputs("</text>\n", out);
}

void flt_svg_close(FILE *out, const struct flt_svg *svg)
{
	if (svg->alone && svg->js)
		fprintf(out, "<script><![CDATA[\n%s]]></script>\n", svg->js);
	fputs("</svg>\n", out);
}
