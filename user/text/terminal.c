// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "text/units.h"

/* Narrower terminals get lines of this width, because a line needs some text. */
#define LEAST_WIDTH 20

const char *const flt_terminal_colors[] = { "auto", "always", "never", NULL };

size_t flt_terminal_columns(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t width = 0;

	if (!ioctl(fileno(out), TIOCGWINSZ, &size))
		width = size.ws_col;
	if (!width && (!columns || flt_units_read_u64(columns, &width)))
		width = 0;
	if (!width || width > UINT16_MAX)
		return FLT_TERMINAL_WIDTH;
	return width < LEAST_WIDTH ? LEAST_WIDTH : (size_t)width;
}

size_t flt_terminal_room(FILE *out)
{
	/* A stream in memory has no descriptor. */
	const int fd = fileno(out);

	return fd < 0 || !isatty(fd) ? 0 : flt_terminal_columns(out);
}

bool flt_terminal_can_erase(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && !(term && !strcmp(term, "dumb"));
}

bool flt_terminal_has_color(FILE *out, int color)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color != FLT_COLOR_AUTO)
		return color == FLT_COLOR_ALWAYS;
	return isatty(fileno(out)) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}
