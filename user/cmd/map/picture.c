// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "cmd/map/map.h"
#include "picture/heatmap.h"
#include "text/terminal.h"
#include "text/text_file.h"

/* Maximum numbers of regions with their own band. */
#define BANDS_PLOT 80u
#define BANDS_BLOCKS 8u
#define LINES_BLOCKS 6u
/* Regions with fewer faults, or a smaller share of all faults, are not drawn on the terminal. */
#define FAULTS_BLOCKS 16u
#define SHARE_BLOCKS 1u
/* Maximum number of cells. If there are more, columns are merged, because browsers get slow. */
#define CELLS_PLOT 150000u

int map_picture_blocks(struct map *m)
{
	struct flt_blocks blocks = { .lines = LINES_BLOCKS };
	struct flt_heatmap_setup setup = { .bands = BANDS_BLOCKS, .cells_max = SIZE_MAX };
	struct flt_heatmap heatmap;
	int err;

	setlocale(LC_CTYPE, "");
	blocks.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	blocks.width = (unsigned int)flt_terminal_columns(stdout);
	blocks.colour = flt_terminal_has_color(stdout, m->args->style.color);
	setup.least = flt_region_faults(&m->total) * SHARE_BLOCKS / 100;
	if (setup.least < FAULTS_BLOCKS)
		setup.least = FAULTS_BLOCKS;
	err = flt_heatmap_make(&heatmap, m->regions, &setup);
	if (!err && heatmap.atlas.count) {
		flt_blocks_write(stdout, &heatmap.atlas, &blocks);
		putchar('\n');
	}
	flt_heatmap_free(&heatmap);
	return err;
}

int map_picture_plot(struct map *m)
{
	const struct flt_heatmap_setup setup = {
		.bands = BANDS_PLOT, .least = 1, .others = true, .cells_max = CELLS_PLOT,
	};
	char title[96], subtitle[512];
	struct flt_heatmap heatmap;
	FILE *out;
	int err;

	err = flt_heatmap_make(&heatmap, m->regions, &setup);
	out = err ? NULL : fopen(m->args->plot, "we");
	if (!err && !out)
		err = -errno;
	if (!err) {
		snprintf(title, sizeof(title), "%" PRIu64 " page faults in %zu regions",
			 flt_region_faults(&m->total), m->count);
		snprintf(subtitle, sizeof(subtitle), "%.400s%s", m->subject ? m->subject : "",
			 m->lost ? ", with losses" : "");
		heatmap.atlas.title = title;
		heatmap.atlas.subtitle = subtitle;
		flt_atlas_write(out, &heatmap.atlas, true);
		err = flt_text_file_close(out);
	}
	flt_heatmap_free(&heatmap);
	if (err) {
		flt_command_say(m->command, "cannot write %s: %s", m->args->plot, strerror(-err));
		return flt_exit_of(err);
	}
	flt_command_say(m->command, "wrote %s", m->args->plot);
	return FLT_EXIT_DONE;
}

int map_picture_rows(struct map *m, struct flt_table *table)
{
	const struct flt_heat_band *b;
	const struct flt_heat_cell *c;
	char name[4200];
	size_t i;
	uint32_t k;
	int err = 0;

	for (i = 0; i < m->count; i++) {
		b = flt_heatmap_band(m->regions, m->rows[i].region);
		map_row_name(m, &m->rows[i], name, sizeof(name));
		for (k = 0; !err && b && k < b->count; k++) {
			c = &b->cells[k];
			err = map_row_cell(m, table, name, b, c);
		}
	}
	return err;
}
