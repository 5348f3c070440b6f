// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cmd/top/top.h"
#include "observe/loss.h"
#include "observe/observe.h"
#include "text/units.h"

struct run {
	struct top *t;
	struct flt_observe o;
	bool screen;
};

static int paint(struct run *r)
{
	struct flt_screen screen;
	int rows, cols, ret;

	top_terminal_size(&rows, &cols);
	ret = flt_screen_open(&screen, rows, cols, r->t->unicode);
	if (ret)
		return ret;
	r->t->room = top_page_room(rows);
	top_arrange(r->t);
	ret = top_page_paint(r->t, &screen);
	if (!ret)
		top_terminal_paint(&screen);
	flt_screen_close(&screen);
	return ret;
}

/* Take a snapshot, and show it. */
static int refresh(struct run *r)
{
	struct top *t = r->t;
	int ret = top_snapshot(t, &r->o.e);

	if (ret)
		return ret;
	if (r->screen)
		return paint(r);
	/* The first snapshot has nothing to compare with. */
	if (!t->ns)
		return 0;
	top_arrange(t);
	ret = top_page_report(t);
	t->reports++;
	return ret;
}

static int on_interval(void *arg)
{
	struct run *r = arg;
	struct top *t = r->t;
	int ret;

	if (t->paused) {
		/* Keep reading the stream. The interval goes on until the pause ends. */
		return top_files_read(t, &r->o.e);
	}
	ret = refresh(r);
	if (r->screen)
		t->reports++;
	if ((t->count && t->reports >= t->count) || ferror(stdout))
		flt_loop_stop(r->o.loop);
	return ret;
}

/* Read the stream between two snapshots, while the processes still run and have names. */
static int on_round(void *arg)
{
	struct run *r = arg;

	return top_files_read(r->t, &r->o.e);
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct run *r = arg;

	return info->ssi_signo == SIGWINCH && r->screen ? paint(r) : 0;
}

/* Sort by the next column of the view, to the left or right. */
static void move_sort(struct top *t, int step)
{
	int key = (int)t->sort;

	do
		key = (key + step + __FLT_RANK_MAX) % __FLT_RANK_MAX;
	while (!top_page_has(t, (enum flt_rank_key)key));
	t->sort = (enum flt_rank_key)key;
}

static void sort_by(struct top *t, enum flt_rank_key key)
{
	if (top_page_has(t, key))
		t->sort = key;
}

/* Change the view, and take a snapshot for its rows. */
static int show(struct run *r, enum top_view view)
{
	struct top *t = r->t;

	if (view == t->view)
		return 0;
	if ((view == TOP_FILE && !t->files) || (view == TOP_KIND && !t->control)) {
		snprintf(t->notice, sizeof(t->notice), "cannot show faults by %s without the %s",
			 top_view_name(view),
			 t->control ? "stream of faults (--files)" : "flt module");
		return 0;
	}
	t->view = view;
	t->scroll = 0;
	t->paused = false;
	if (!top_page_has(t, t->sort) || view == TOP_FILE)
		t->sort = top_page_sort(t);
	return top_snapshot(t, &r->o.e);
}

/* Edit the filter. */
static void type(struct top *t, int key)
{
	size_t n = strlen(t->filter);

	if (key == '\r' || key == '\n') {
		t->typing = false;
	} else if (key == 27) {
		t->typing = false;
		t->filter[0] = '\0';
	} else if (key == TOP_KEY_BACKSPACE) {
		/* Remove all bytes of a UTF-8 character. */
		while (n && (t->filter[n - 1] & 0xc0) == 0x80)
			t->filter[--n] = '\0';
		if (n)
			t->filter[n - 1] = '\0';
	} else if (key >= ' ' && key < 256 && n + 1 < sizeof(t->filter)) {
		t->filter[n] = (char)key;
		t->filter[n + 1] = '\0';
	}
}

/* Handle a key that changes the order or the filter of the rows. Return false for other keys. */
static bool sort_key(struct top *t, int key)
{
	switch (key) {
	case 27:
		t->filter[0] = '\0';
		return true;
	case 'r':
		t->reverse = !t->reverse;
		return true;
	case '<':
	case TOP_KEY_LEFT:
		move_sort(t, -1);
		return true;
	case '>':
	case TOP_KEY_RIGHT:
		move_sort(t, 1);
		return true;
	case 'm':
		sort_by(t, FLT_RANK_MINOR);
		return true;
	case 'j':
		sort_by(t, FLT_RANK_MAJOR);
		return true;
	case 'l':
		sort_by(t, FLT_RANK_P99);
		return true;
	case 's':
		sort_by(t, FLT_RANK_TIME);
		return true;
	default:
		return false;
	}
}

static void scroll_key(struct top *t, int key)
{
	switch (key) {
	case TOP_KEY_UP:
		t->scroll--;
		break;
	case TOP_KEY_DOWN:
		t->scroll++;
		break;
	case TOP_KEY_PAGE_UP:
		t->scroll -= t->room;
		break;
	case TOP_KEY_PAGE_DOWN:
		t->scroll += t->room;
		break;
	case TOP_KEY_HOME:
		t->scroll = 0;
		break;
	default:
		break;
	}
}

static int on_key(struct run *r, int key)
{
	static const char views[] = "ptfck";
	struct top *t = r->t;
	const char *view;

	if (t->help) {
		t->help = false;
		return 0;
	}
	if (t->typing) {
		type(t, key);
		return 0;
	}
	view = key > 0 && key < 128 ? strchr(views, key) : NULL;
	if (view)
		return show(r, (enum top_view)(view - views));
	switch (key) {
	case 'q':
	case 'Q':
		flt_loop_stop(r->o.loop);
		return 0;
	case 'h':
	case '?':
		t->help = true;
		return 0;
	case '\t':
		return show(r, (enum top_view)((t->view + 1) % __TOP_VIEW_MAX));
	case ' ':
		t->paused = !t->paused;
		return 0;
	case '/':
		t->typing = true;
		return 0;
	default:
		if (!sort_key(t, key))
			scroll_key(t, key);
		return 0;
	}
}

static int on_input(void *arg, int fd, short events)
{
	struct run *r = arg;
	int key, ret = 0, keys = 0;

	(void)fd;
	while (!ret && (key = top_terminal_key()) >= 0) {
		ret = on_key(r, key);
		keys++;
	}
	/* The terminal was closed. */
	if (!keys && events & (POLLHUP | POLLERR))
		flt_loop_stop(r->o.loop);
	return ret ? ret : paint(r);
}

static int arm(void *arg)
{
	struct run *r = arg;
	struct top *t = r->t;
	int ret = top_start(t, &r->o.e);

	if (ret)
		return ret;
	if (!t->args->batch && t->args->style.format == FLT_FORMAT_TEXT) {
		ret = top_terminal_open(t->args->style.color, &r->o.e);
		r->screen = !ret;
		if (ret == -EOPNOTSUPP)
			flt_command_fall_back(t->command, flt_errmsg_text(&r->o.e, ret),
					      "plain text", NULL);
		r->o.e = (struct flt_errmsg){ "" };
	}
	ret = r->screen ? flt_loop_add(r->o.loop, STDIN_FILENO, POLLIN, on_input, r) : 0;
	if (!ret && t->files && t->interval > 200 * FLT_NSEC_PER_MSEC)
		ret = flt_loop_every(r->o.loop, 100 * FLT_NSEC_PER_MSEC, on_round, r);
	return ret ? ret : refresh(r);
}

static int stop(void *arg, int err)
{
	struct run *r = arg;

	if (!err)
		err = top_files_lost(r->t, &r->o.e);
	/* Messages on standard error come after the screen. */
	if (r->screen)
		top_terminal_close();
	return err;
}

static int finish(void *arg)
{
	const struct run *r = arg;
	const struct flt_loss loss = {
		.streamed = r->t->lost, .notes = r->t->lost_notes, .missed = r->t->missed,
		.calls = r->t->calls, .threads = r->t->partial,
		/* Only reports can be added up, so only they can be incomplete. */
		.vanished = r->screen ? 0 : r->t->vanished,
		.unplaced = r->t->members ? flt_members_unplaced(r->t->members) : 0,
	};

	return flt_loss_say(&loss, r->t->command);
}

static const struct flt_observe_ops ops = {
	.arm = arm,
	.round = on_interval,
	.signal = on_signal,
	.stop = stop,
	.finish = finish,
};

int top_run(struct top *t)
{
	struct run r = {
		.t = t,
		.o = {
			.command = t->command, .ops = &ops, .arg = &r, .period = t->interval,
			.extra_signals = FLT_OBSERVE_SIGNAL(SIGWINCH),
		},
	};

	return flt_observe_run(&r.o);
}
