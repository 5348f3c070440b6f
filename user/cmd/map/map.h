/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h - what the files of 'fltctl map' share.
 *
 *   map.c          options, and which way to go
 *   map_file.c     regions from a recording
 *   map_live.c     regions from a session
 *   map_told.c     what is mapped, from its notes
 *   map_rows.c     regions as rows, and what to do about them
 *   map_picture.c  the heat map: on the terminal, as rows, as SVG
 */
#ifndef FLT_CMD_MAP_H
#define FLT_CMD_MAP_H

#include "observe/correlation.h"
#include "cli/command.h"
#include "model/memory/regions.h"
#include "model/memory/advice.h"
#include "view/table/table.h"

struct map_args {
	struct flt_ids pids;
	bool follow;
	uint64_t duration;	/* ns; 0: until it ends */
	uint64_t top;
	int sort;		/* index into the choices of --sort */
	bool heat;
	int colour;		/* index into the choices of --color */
	const char *plot;
	uint64_t subbuf_size, subbufs;
	struct flt_correlation_args with;
	int format;		/* enum flt_format */
};

struct map_row {
	const struct flt_region *region;
	struct flt_verdict verdict;
	enum flt_advice advice;
};

struct map {
	const struct flt_command *command;
	const struct map_args *args;
	struct flt_control *control;
	struct flt_errmsg control_message;
	int control_error;
	char *subject;		/* of what; owned */
	struct flt_correlation *with;	/* NULL: --with was not given */
	struct flt_regions *regions;
	bool limited;		/* recorded under a limit */
	bool seconds_known;	/* latencies are there */
	uint64_t lost;		/* faults; said already */

	/* Made of the regions when all faults are in. */
	struct map_row *rows;	/* those with faults, most first */
	size_t count;
	struct flt_region total;
};

/* map_file.c: an exit status. */
int map_file(struct map *m, const char *path);
/* map_live.c: likewise; the command's own if it has one. command NULL: -p. */
int map_live(struct map *m, char **command);

/* map_rows.c: -errno. */
int map_rows_make(struct map *m);
int map_rows_write(struct map *m);
void map_row_name(const struct map *m, const struct map_row *row, char *text, size_t size);
/* Write a cell of the heat map: a row of the same table. */
int map_row_cell(struct flt_table *table, const char *name, const struct flt_heat *heat,
		 const struct flt_heat_band *band, const struct flt_heat_cell *cell);

/* map_picture.c: -errno; an exit status. */
int map_picture_blocks(struct map *m);
int map_picture_plot(struct map *m);

/* map_picture.c: the cells of the heat map as rows. */
int map_picture_rows(struct map *m, struct flt_table *table);

#endif
