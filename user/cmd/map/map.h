/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h - interfaces between the files of 'fltctl map'.
 *
 *   map.c      options
 *   file.c     regions from a recording
 *   live.c     regions from a session of the module
 *   rows.c     regions as rows, and findings with advice
 *   cgroups.c  the regions of each cgroup, added up
 *   picture.c  the heat map: on the terminal, as rows, as SVG
 */
#ifndef FLT_CMD_MAP_H
#define FLT_CMD_MAP_H

#include "observe/correlation.h"
#include "cli/command.h"
#include "cli/output.h"
#include "model/memory/regions.h"
#include "model/memory/advice.h"
#include "view/table/table.h"

struct flt_cgroups;

enum map_by { MAP_BY_REGION = 0, MAP_BY_CGROUP };

struct map_args {
	struct flt_ids pids;
	const char *cgroup;
	bool follow;
	uint64_t duration;	/* ns; 0: no limit */
	uint64_t top;
	int by;			/* enum map_by */
	int sort;		/* index into the choices of --sort */
	bool heat;
	const char *plot;
	uint64_t subbuf_size, subbufs;
	struct flt_correlation_args with;
	struct flt_table_style style;
	const char *output;
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
	struct output_redirect redirect;	/* of -o */
	struct flt_errmsg control_message;
	int control_error;
	char *subject;		/* what was observed, for the title; owned */
	struct flt_correlation *with;	/* NULL: --with was not given */
	struct flt_regions *regions;
	struct flt_cgroups *cgroups;	/* NULL: not --by=cgroup */
	bool limited;		/* recorded under a limit (record -L) */
	bool seconds_known;	/* latencies are there */
	uint64_t lost;		/* faults; already reported */

	/* Set by map_rows_make(), after the last fault. */
	struct map_row *rows;	/* regions with faults, in the order of --sort */
	size_t count;
	struct flt_region total;
};

/* file.c. Read a recording. Return the exit status. */
int map_file(struct map *m, const char *path);
/*
 * live.c. Run the command (NULL: observe the processes of -p) and collect its faults. Return the
 * exit status, which is the command's if there is one.
 */
int map_live(struct map *m, char **command);

/* rows.c */
/* Classify the regions and sort them. Return 0 or -ENOMEM. */
int map_rows_make(struct map *m);
/* Print rows and findings. Return 0 or -errno. */
int map_rows_write(struct map *m);
/* Add the counts of a region to a sum. */
void map_rows_add(struct flt_region *sum, const struct flt_region *region);
/* Write the sum of a cgroup as a row. Return 0 or -errno. */
int map_row_cgroup(const struct map *m, struct flt_table *table, const struct flt_region *sum,
		   const char *path, const char *name);
/* Write the name of a region. */
void map_row_name(const struct map *m, const struct map_row *row, char *text, size_t size);
/* Write a cell of the heat map as a row of the same table. Return 0 or -errno. */
int map_row_cell(const struct map *m, struct flt_table *table, const char *name,
		 const struct flt_heat_band *band, const struct flt_heat_cell *cell);

/* cgroups.c. Write a row per cgroup, largest first. Return 0 or -errno. */
int map_cgroups_write(struct map *m, struct flt_table *table);

/* picture.c */
/* Print the heat map on the terminal. Return 0 or -errno. */
int map_picture_blocks(struct map *m);
/* Write the file of --plot. Return the exit status. */
int map_picture_plot(struct map *m);

/* Write the cells of the heat map as rows. Return 0 or -errno. */
int map_picture_rows(struct map *m, struct flt_table *table);

#endif
