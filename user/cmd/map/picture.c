// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/map/map.h"
#include "text/units.h"
#include "view/svg/atlas.h"

/* With a band and a name of their own; what is between is one band of small ones. */
#define BANDS_PLOT 80u
#define BANDS_BLOCKS 8u
#define LINES_BLOCKS 6u
/* A line for fewer faults, or a smaller share of all, says nothing. */
#define FAULTS_BLOCKS 16u
#define SHARE_BLOCKS 1u
/* More cells than these make a file that browsers are slow with: columns get coarser. */
#define CELLS_PLOT 150000u
#define NAME_LEN 320

struct picture {
	struct map *m;
	struct flt_atlas atlas;
	struct flt_atlas_band *bands;
	unsigned int coarser;	/* columns, by so many bits */
	bool failed;
};

static int cell_order(const void *a, const void *b)
{
	const struct flt_atlas_cell *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

static struct flt_fold_band *band_of(const struct map *m, const struct map_row *row)
{
	uint32_t index = (uint32_t)(row->region - m->regions->rows);

	return index < m->regions->fold.band_count ? &m->regions->fold.bands[index] : NULL;
}

/* Sorted, and those that are one now added up. */
static size_t cells_tidy(struct flt_atlas_cell *cells, size_t n)
{
	size_t i, k = 0;

	qsort(cells, n, sizeof(*cells), cell_order);
	for (i = 0; i < n; i++) {
		if (k && !cell_order(&cells[k - 1], &cells[i])) {
			cells[k - 1].all += cells[i].all;
			cells[k - 1].again += cells[i].again;
		} else {
			cells[k++] = cells[i];
		}
	}
	return k;
}

/* fixed: the row of all cells, or -1 for each its own. */
static size_t cells_take(const struct picture *p, const struct flt_fold_band *from, struct flt_atlas_cell *to, int fixed)
{
	const struct flt_fold_cell *c;
	size_t n = 0;
	uint32_t i;

	for (i = 0; from && i < from->count; i++) {
		c = &from->cells[i];
		to[n++] = (struct flt_atlas_cell){
			fixed < 0 ? (uint32_t)(c->row - (from->low >> from->shift)) : (uint32_t)fixed,
			c->column >> p->coarser, c->all, c->again,
		};
	}
	return n;
}

static bool band_own(struct picture *p, const struct map_row *row, struct flt_atlas_band *band)
{
	const struct flt_fold_band *from = band_of(p->m, row);
	struct flt_atlas_cell *cells;
	char name[NAME_LEN], note[256];

	if (!from || !from->count)
		return false;
	cells = calloc(from->count + 1, sizeof(*cells));
	map_row_name(p->m, row, name, sizeof(name));
	map_row_note(p->m, row, note, sizeof(note));
	*band = (struct flt_atlas_band){
		.name = strdup(name), .note = strdup(note), .start = from->low >> from->shift << from->shift << 12,
		.bytes = 4096ull << from->shift, .rows = flt_fold_rows(from), .cells = cells,
	};
	p->failed |= !cells || !band->name || !band->note;
	if (!p->failed)
		band->count = cells_tidy(cells, cells_take(p, from, cells, -1));
	return true;
}

/* Small neighbours: a row for each. */
static bool band_shared(struct picture *p, const struct map_row *const *rows, size_t n, struct flt_atlas_band *band)
{
	struct flt_atlas_area *areas = calloc(n, sizeof(*areas));
	struct flt_atlas_cell *cells;
	size_t i, all = 1, used = 0;
	char name[NAME_LEN], note[96];
	uint64_t faults = 0;

	for (i = 0; i < n; i++) {
		all += band_of(p->m, rows[i]) ? band_of(p->m, rows[i])->count : 0;
		faults += flt_region_faults(rows[i]->region);
	}
	cells = calloc(all, sizeof(*cells));
	snprintf(name, sizeof(name), "%zu small regions", n);
	snprintf(note, sizeof(note), "%" PRIu64 " faults", faults);
	*band = (struct flt_atlas_band){
		.name = strdup(name), .note = strdup(note), .rows = (uint32_t)n, .areas = areas, .cells = cells,
	};
	p->failed |= !areas || !cells || !band->name || !band->note;
	for (i = 0; !p->failed && i < n; i++) {
		used += cells_take(p, band_of(p->m, rows[i]), cells + used, (int)i);
		map_row_name(p->m, rows[i], name, sizeof(name));
		areas[i] = (struct flt_atlas_area){ strdup(name), rows[i]->region->area.start, rows[i]->region->area.end };
		p->failed |= !areas[i].name;
	}
	if (!p->failed)
		band->count = cells_tidy(cells, used);
	return true;
}

static int most_first(const void *a, const void *b)
{
	const struct map_row *x = *(const struct map_row *const *)a, *y = *(const struct map_row *const *)b;

	if (flt_region_faults(x->region) != flt_region_faults(y->region))
		return flt_region_faults(x->region) > flt_region_faults(y->region) ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

static int by_address(const void *a, const void *b)
{
	const struct flt_region *x = (*(const struct map_row *const *)a)->region;
	const struct flt_region *y = (*(const struct map_row *const *)b)->region;

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	if (x->area.start != y->area.start)
		return x->area.start < y->area.start ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * The first `own` of those with most faults get a band each, in order of address;
 * of the others each run between two of them is one band, or nothing.
 */
static int bands_make(struct picture *p, const struct map_row **rows, size_t n, size_t own, bool others)
{
	const struct map_row *last;
	size_t i, from, count = 0;
	bool big;

	p->bands = calloc(2 * own + 2, sizeof(*p->bands));
	if (!p->bands)
		return -ENOMEM;
	qsort(rows, n, sizeof(*rows), most_first);
	own = n < own ? n : own;
	/* The least of them: of others with as many faults some are before it, some behind. */
	last = own ? rows[own - 1] : NULL;
	qsort(rows, n, sizeof(*rows), by_address);
	for (from = i = 0; i <= n; i++) {
		big = i < n && last && most_first(&rows[i], &last) <= 0;
		if (i < n && !big)
			continue;
		if (i > from && others)
			count += band_shared(p, rows + from, i - from, &p->bands[count]);
		else
			p->atlas.hidden += i - from;
		if (i < n)
			count += band_own(p, rows[i], &p->bands[count]);
		from = i + 1;
	}
	p->atlas.bands = p->bands;
	p->atlas.count = count;
	return p->failed ? -ENOMEM : 0;
}

static void picture_free(struct picture *p)
{
	size_t i, k;

	for (i = 0; p->bands && i < p->atlas.count; i++) {
		for (k = 0; p->bands[i].areas && k < p->bands[i].rows; k++)
			free((void *)p->bands[i].areas[k].name);
		free((void *)p->bands[i].areas);
		free((void *)p->bands[i].cells);
		free((void *)p->bands[i].name);
		free((void *)p->bands[i].note);
	}
	free(p->bands);
}

/* least: faults of a region that is worth a place. */
static int picture_make(struct picture *p, struct map *m, size_t own, uint64_t least, bool others, size_t cells_max)
{
	const struct flt_fold *fold = &m->regions->fold;
	const struct map_row **rows = calloc(m->count + 1, sizeof(*rows));
	uint32_t columns = flt_fold_columns(fold);
	size_t i, n = 0;
	int err;

	*p = (struct picture){ .m = m };
	if (!rows)
		return -ENOMEM;
	while (fold->cells >> p->coarser > cells_max && columns >> p->coarser > 16)
		p->coarser++;
	p->atlas.columns = ((columns - 1) >> p->coarser) + 1;
	p->atlas.seconds = (double)(fold->step << p->coarser) * p->atlas.columns / 1e9;
	for (i = 0; i < m->count; i++)
		if (flt_region_faults(m->rows[i].region) >= least)
			rows[n++] = &m->rows[i];
	p->atlas.hidden = m->count - n;
	err = bands_make(p, rows, n, own, others);
	free(rows);
	return err;
}

static unsigned int terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t wide;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return columns && !flt_units_read_u64(columns, &wide) && wide < 1000 ? (unsigned int)wide : 80;
}

int map_picture_blocks(struct map *m)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	struct flt_blocks blocks = { .width = terminal_width(), .lines = LINES_BLOCKS };
	struct picture p;
	uint64_t least;
	int err;

	setlocale(LC_CTYPE, "");
	blocks.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	blocks.colour = m->args->colour == 1 ||
			(m->args->colour == 0 && isatty(STDOUT_FILENO) && !(no_colour && no_colour[0]) &&
			 !(term && !strcmp(term, "dumb")));
	least = flt_region_faults(&m->total) * SHARE_BLOCKS / 100;
	err = picture_make(&p, m, BANDS_BLOCKS, least > FAULTS_BLOCKS ? least : FAULTS_BLOCKS, false, SIZE_MAX);
	if (!err && p.atlas.count) {
		flt_blocks_write(stdout, &p.atlas, &blocks);
		putchar('\n');
	}
	picture_free(&p);
	return err;
}

int map_picture_plot(struct map *m)
{
	char title[96], subtitle[512];
	struct picture p;
	FILE *out;
	int err;

	err = picture_make(&p, m, BANDS_PLOT, 1, true, CELLS_PLOT);
	out = err ? NULL : fopen(m->args->plot, "we");
	if (!err && !out)
		err = -errno;
	if (!err) {
		snprintf(title, sizeof(title), "%" PRIu64 " page faults in %zu regions", flt_region_faults(&m->total), m->count);
		snprintf(subtitle, sizeof(subtitle), "%.400s%s", m->subject ? m->subject : "", m->lost ? ", with losses" : "");
		p.atlas.title = title;
		p.atlas.subtitle = subtitle;
		flt_atlas_write(out, &p.atlas);
		errno = 0;
		if (ferror(out) | fclose(out))
			err = errno ? -errno : -EIO;
	}
	picture_free(&p);
	if (err) {
		flt_command_say(m->command, "cannot write %s: %s", m->args->plot, strerror(-err));
		return flt_exit_of(err);
	}
	flt_command_say(m->command, "wrote %s", m->args->plot);
	return FLT_EXIT_DONE;
}

int map_picture_rows(struct map *m, struct flt_table *table)
{
	const struct flt_fold *fold = &m->regions->fold;
	const struct flt_fold_band *b;
	const struct flt_fold_cell *c;
	char name[4200];
	size_t i;
	uint32_t k;
	int err = 0;

	for (i = 0; i < m->count; i++) {
		b = band_of(m, &m->rows[i]);
		map_row_name(m, &m->rows[i], name, sizeof(name));
		for (k = 0; !err && b && k < b->count; k++) {
			c = &b->cells[k];
			err = map_row_cell(table, name, fold, b, c);
		}
	}
	return err;
}
