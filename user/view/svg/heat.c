// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/heat.h"

#include <inttypes.h>

#include "text/units.h"
#include "view/svg/xml.h"

void flt_heat_write(FILE *out, const struct flt_heat *h)
{
	char size[FLT_UNITS_TEXT];
	uint32_t i;
	size_t k;
	int tick;

	fprintf(out, "<figure class=\"heat\" data-seconds=\"%.9g\" data-rows=\"%u\" data-columns=\"%u\" data-cells=\"", h->seconds,
		h->rows, h->columns);
	/* Only cells that are not empty: index, faults, refaults. */
	for (i = 0; i < h->rows * h->columns; i++)
		if (h->all[i])
			fprintf(out, "%u,%" PRIu64 ",%" PRIu64 ";", i, h->all[i], h->again[i]);
	fputs("\">\n<figcaption>Where in memory, and when <span class=\"key first\">first touches and others</span> "
	      "<span class=\"key again\">refaults</span><output></output></figcaption>\n<div class=\"box\"><div class=\"bands\">\n", out);
	for (k = 0; k < h->band_count; k++) {
		fprintf(out, "<div class=\"band\" style=\"flex:%u\" data-row=\"%u\" data-rows=\"%u\" data-start=\"%" PRIu64
			"\" data-end=\"%" PRIu64 "\" title=\"0x%" PRIx64 ", %s\">", h->bands[k].rows, h->bands[k].row, h->bands[k].rows,
			h->bands[k].start, h->bands[k].end, h->bands[k].start,
			flt_units_write_size(size, h->bands[k].end - h->bands[k].start));
		flt_xml_text(out, h->bands[k].name);
		fputs("</div>\n", out);
	}
	fprintf(out, "</div>\n<canvas width=\"%u\" height=\"%u\" role=\"img\" aria-label=\"Faults by address and time\"></canvas>\n",
		h->columns, h->rows);
	fputs("<div class=\"times\">", out);
	for (tick = 0; tick <= 4; tick++)
		fprintf(out, "<span>%.4g s</span>", h->seconds * tick / 4);
	fputs("</div></div></figure>\n", out);
}
