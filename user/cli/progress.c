// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/clock.h"
#include "text/escape.h"
#include "text/terminal.h"
#include "text/units.h"

#define QUIET_NS (500 * FLT_NSEC_PER_MSEC)
#define STEP_NS (100 * FLT_NSEC_PER_MSEC)

/* Return false if the terminal may show what is written to standard output. */
static bool is_output_elsewhere(void)
{
	struct stat s;

	return !isatty(STDOUT_FILENO) && !fstat(STDOUT_FILENO, &s) && !S_ISFIFO(s.st_mode);
}

void flt_progress_begin(struct flt_progress *p, bool alone)
{
	*p = (struct flt_progress){
		.began = flt_clock_ns(CLOCK_MONOTONIC),
		.on = flt_terminal_can_erase(stderr) && (alone || is_output_elsewhere()),
	};
}

void flt_progress_show(struct flt_progress *p, const char *fmt, ...)
{
	char text[256], plain[256 * FLT_ESCAPE_GROWTH];
	uint64_t time;
	va_list ap;

	if (!p->on)
		return;
	time = flt_clock_ns(CLOCK_MONOTONIC);
	if (time - p->began < QUIET_NS || time - p->shown < STEP_NS)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	flt_escape_text(plain, sizeof(plain), text, strlen(text));
	/* A longer line would wrap, and could not be erased. */
	fprintf(stderr, "\r%.*s" FLT_TERMINAL_ERASE, (int)flt_terminal_columns(stderr) - 1, plain);
	fflush(stderr);
	p->shown = time;
	p->visible = true;
}

void flt_progress_erase(struct flt_progress *p)
{
	if (!p->visible)
		return;
	fputs("\r" FLT_TERMINAL_ERASE, stderr);
	fflush(stderr);
	p->visible = false;
}
