// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/top/top.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
/* Include last: defines macros such as "columns". */
#include <term.h>

#include "text/terminal.h"

static SCREEN *terminal;

/* Check the terminal type before newterm(), which leaks memory for an unknown type. */
static int check_type(const char *term, struct flt_errmsg *e)
{
	const char *cup;
	int error;

	if (!term || !*term || setupterm(term, STDOUT_FILENO, &error) != OK)
		return flt_errmsg_set(e, -EOPNOTSUPP, "invalid terminal type '%s': unknown",
				      term ? term : "");
	cup = tigetstr("cup");
	del_curterm(cur_term);
	/* The page needs cursor addressing. */
	if (!cup || cup == (const char *)-1)
		return flt_errmsg_set(e, -EOPNOTSUPP, "invalid terminal type '%s': the cursor "
				      "cannot be moved", term);
	return 0;
}

int top_terminal_open(int color, struct flt_errmsg *e)
{
	const char *term = getenv("TERM");
	int ret;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	ret = check_type(term, e);
	if (ret)
		return ret;
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return flt_errmsg_set(e, -EOPNOTSUPP, "cannot use terminal type '%s'", term);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	if (has_colors() && flt_terminal_has_color(stdout, color)) {
		start_color();
		use_default_colors();
		init_pair(FLT_LOOK_ALERT, COLOR_YELLOW, -1);
	}
	return 0;
}

void top_terminal_close(void)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal);
	terminal = NULL;
}

void top_terminal_size(int *rows, int *cols)
{
	struct winsize size;

	/* The loop takes SIGWINCH, so ncurses does not see it. */
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
	    is_term_resized(size.ws_row, size.ws_col))
		resizeterm(size.ws_row, size.ws_col);
	getmaxyx(stdscr, *rows, *cols);
}

static chtype attributes(int look)
{
	switch (look) {
	case FLT_LOOK_TITLE:
		return A_BOLD;
	case FLT_LOOK_HEADING:
		return A_REVERSE;
	case FLT_LOOK_SORTED:
		return A_REVERSE | A_BOLD | A_UNDERLINE;
	case FLT_LOOK_ALERT:
		return (chtype)COLOR_PAIR(FLT_LOOK_ALERT) | A_BOLD;
	case FLT_LOOK_DIM:
		return A_DIM;
	default:
		return A_NORMAL;
	}
}

void top_terminal_paint(const struct flt_screen *screen)
{
	const struct flt_screen_cell *cell;
	int row, col;

	erase();
	for (row = 0; row < screen->rows; row++) {
		for (col = 0; col < screen->cols; col++) {
			cell = &screen->cell[row * screen->cols + col];
			if (!*cell->text)
				continue;
			attrset(attributes(cell->look));
			mvaddstr(row, col, cell->text);
		}
	}
	refresh();
}

int top_terminal_key(void)
{
	int key = getch();

	switch (key) {
	case ERR:
		return -1;
	case KEY_UP:
		return TOP_KEY_UP;
	case KEY_DOWN:
		return TOP_KEY_DOWN;
	case KEY_LEFT:
		return TOP_KEY_LEFT;
	case KEY_RIGHT:
		return TOP_KEY_RIGHT;
	case KEY_PPAGE:
		return TOP_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TOP_KEY_PAGE_DOWN;
	case KEY_HOME:
		return TOP_KEY_HOME;
	case KEY_BACKSPACE:
	case 127:
	case '\b':
		return TOP_KEY_BACKSPACE;
	default:
		return key < 256 ? key : TOP_KEY_OTHER;
	}
}
