/* SPDX-License-Identifier: GPL-2.0-or-later */
/* visualize.h - declarations shared by the files of `fltctl visualize`. */
#ifndef FLT_CMD_VISUALIZE_H
#define FLT_CMD_VISUALIZE_H

#include "timeline/load.h"
#include "model/code/sites.h"
#include "model/code/tree.h"
#include "model/memory/regions.h"
#include "view/svg/flame.h"

enum flt_picture {
	FLT_PICTURE_SVG = 0, FLT_PICTURE_HTML, FLT_PICTURE_FOLDED, FLT_PICTURE_SPEEDSCOPE,
	FLT_PICTURE_PERFETTO, FLT_PICTURE_PPROF,
};

struct flt_visualize_args {
	const char *input, *output;
	int picture;		/* enum flt_picture */
	struct flt_load_filter filter;
	uint64_t duration;	/* ns, of --for; 0: not given */
	uint64_t min_percent;	/* 0: frames that are narrower than a pixel are left out */
	struct flt_symbols_setup symbols;
};

enum flt_rate { FLT_RATE_ALL = 0, FLT_RATE_MAJOR };

struct flt_visualize {
	struct flt_run *run;
	const struct flt_visualize_args *args;
	const char *path;		/* of the recording */
	const char *name;		/* of the recording, for titles */
	struct flt_fault_filter filter;
	struct flt_load load;
	struct flt_group stacks;	/* keys for FLT_BY_STACK */
	struct flt_group first;		/* first touches only */
	/* For the page only. */
	struct flt_regions *regions;
	struct flt_heat rates;		/* its regions are enum flt_rate */
	struct flt_symbols *symbols;
	struct flt_progress progress;
	struct flt_strings *strings;
};

/*
 * List the frames of a flame graph. Frames with a smaller share of the faults than `least` or
 * --min-percent are left out and counted in *hidden. Release *frames with free(). Return 0 or
 * -errno.
 */
int flt_visualize_frames(struct flt_visualize *v, const struct flt_group *group, double least,
			 struct flt_flame_frame **frames, size_t *count, uint64_t *hidden);
/* Write one line that names the recorded command and the host. */
void flt_visualize_subtitle(const struct flt_visualize *v, char *text, size_t size);

/* Write a picture. Return 0 or -errno. */
int flt_visualize_html(struct flt_visualize *v, FILE *out);
int flt_visualize_perfetto(struct flt_visualize *v, FILE *out);

#endif
