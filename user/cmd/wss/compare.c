// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "cmd/wss/wss.h"
#include "text/units.h"

/*
 * Sum up the windows of a method. The values of all processes are added per window first,
 * because a median over large and small processes would describe none of them. A method that
 * sees only faults has no referenced bytes; use the mean of the bytes faulted in per window.
 * Return -ENODATA if the method has no window.
 */
static int sum_up_method(struct wss *w, const struct wss_method *m, struct flt_wset *set)
{
	struct flt_samples own = { 0 }, total = { 0 };
	uint64_t touched = 0, window = 0, duration = 0;
	size_t i;
	int ret = wss_history_choose(w, 0, m, &own);

	if (!ret)
		ret = flt_wset_total(&own, &total);
	if (!ret)
		ret = flt_wset_sum_up(total.sample, total.count, set);
	if (ret == -ENODATA && total.count) {
		for (i = 0; i < total.count; i++) {
			touched += total.sample[i].first_touch + total.sample[i].refault;
			window += total.sample[i].window;
			duration += total.sample[i].duration;
		}
		set->windows = total.count;
		set->window = window / total.count;
		set->duration = duration / total.count;
		set->referenced[FLT_WSET_P50] = touched / total.count;
		set->rss_last = total.sample[total.count - 1].rss;
		ret = 0;
	}
	flt_samples_free(&own);
	flt_samples_free(&total);
	return ret;
}

static void print_line(const struct wss_method *m, const struct flt_wset *set, double against)
{
	char size[FLT_UNITS_TEXT], rss[FLT_UNITS_TEXT];
	char cost[FLT_UNITS_TEXT], window[FLT_UNITS_TEXT];
	char text[24] = "-";

	if (isfinite(against))
		snprintf(text, sizeof(text), "%+.1f%%", against);
	printf("%-7s %8zu %8s %10s %8s %10s %10s  %s\n", m->name, set->windows,
	       flt_units_write_ns(window, set->window),
	       flt_units_write_size(size, set->referenced[FLT_WSET_P50]), text,
	       set->rss_last ? flt_units_write_size(rss, set->rss_last) : "-",
	       flt_units_write_ns(cost, set->duration), m->differs);
}

/*
 * The methods run one after another. So a program that changes its behaviour changes the
 * difference from scan, too.
 */
int wss_compare(struct wss *w)
{
	const bool text = w->args->style.format == FLT_FORMAT_TEXT;
	double scanned = 0, value, against;
	struct flt_wset set;
	size_t i;
	int ret = 0;

	if (text)
		printf("%-7s %8s %8s %10s %8s %10s %10s  %s\n", "METHOD", "WINDOWS", "WINDOW",
		       "REFERENCED", "vs scan", "RSS", "COST", "WHAT IT COUNTS");
	for (i = 0; i < w->steps && !ret; i++) {
		const struct wss_method *m = w->step[i].method;

		ret = sum_up_method(w, m, &set);
		if (ret == -ENODATA) {
			ret = 0;
			if (!w->step[i].left_out)
				flt_command_say(w->command, "without %s: the run ended before its "
						"first window was complete", m->name);
			continue;
		}
		if (ret)
			break;
		value = (double)set.referenced[FLT_WSET_P50];
		against = NAN;
		if (m != &wss_method_scan && scanned > 0)
			against = 100 * (value - scanned) / scanned;
		if (m == &wss_method_scan)
			scanned = value;
		if (text)
			print_line(m, &set, against);
		else
			ret = wss_rows_method(w, m, &set, against);
	}
	return ret;
}
