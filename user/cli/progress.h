/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - one line on standard error that says what a command is doing, if it takes long.
 *
 * The line appears on terminals only, and not if TERM is "dumb". Erase it before anything else is
 * written to the terminal.
 */
#ifndef FLT_PROGRESS_H
#define FLT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: nothing is shown. */
struct flt_progress {
	uint64_t began, shown;	/* CLOCK_MONOTONIC ns */
	bool on, visible;
};

/*
 * Begin. alone: nothing else is written to the terminal until flt_progress_erase(). Otherwise
 * nothing is shown if standard output is a terminal, or a pipe, whose reader may write there.
 */
void flt_progress_begin(struct flt_progress *p, bool alone);
/*
 * Replace the line. The line appears half a second after the beginning, and changes at most ten
 * times a second.
 */
void flt_progress_show(struct flt_progress *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void flt_progress_erase(struct flt_progress *p);

#endif
