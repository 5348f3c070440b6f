// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/wss/wss.h"
#include "observe/loss.h"
#include "text/units.h"
#include "view/svg/plot.h"
#include "view/terminal/spark.h"

#define PROCESSES_LISTED 10

static const char *const quantile_names[FLT_WSET_QUANTILES] = { "min", "p50", "p90", "p99", "max" };

/* Return true if the terminal shows only ASCII. Set the locale. */
static bool is_ascii_terminal(void)
{
	setlocale(LC_CTYPE, "");
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

static int say_curve(const struct flt_sample *samples, size_t count)
{
	uint64_t *values = calloc(count, sizeof(*values));
	char text[FLT_SPARK_TEXT];
	size_t i;

	if (!values)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		values[i] = samples[i].referenced;
	printf("  %s\n", flt_spark_write(text, values, count, is_ascii_terminal()));
	free(values);
	return 0;
}

static void say_advice(const struct flt_wset *set)
{
	const uint64_t enough = set->referenced[FLT_WSET_P99];
	char size[FLT_UNITS_TEXT], rss[FLT_UNITS_TEXT];
	char idle[FLT_UNITS_TEXT], window[FLT_UNITS_TEXT];

	flt_units_write_ns(window, set->window);
	printf("  %s held the working set in 99%% of %zu windows of %s",
	       flt_units_write_size(size, enough), set->windows, window);
	if (!set->rss_last) {
		printf("\n");
		return;
	}
	flt_units_write_size(rss, set->rss_last);
	if (set->rss_last > enough)
		printf("; RSS is %s, and %s of it were not used in these windows\n", rss,
		       flt_units_write_size(idle, set->rss_last - enough));
	else
		printf("; RSS is %s, so there is nothing to save\n", rss);
}

/* Write the summary of one process or of all: up to four lines of text, or a row per quantile. */
static int sum_up(struct wss *w, const char *name, const struct flt_sample *samples, size_t count)
{
	char text[FLT_UNITS_TEXT];
	struct flt_wset set;
	int ret, q;

	ret = flt_wset_sum_up(samples, count, &set);
	if (ret)
		return ret == -ENODATA ? 0 : ret;
	if (w->args->style.format != FLT_FORMAT_TEXT) {
		for (q = 0; q < FLT_WSET_QUANTILES && !ret; q++)
			ret = wss_rows_quantile(w, &samples[count - 1], flt_wset_quantile[q],
						set.referenced[q]);
		return ret;
	}
	if (set.windows < 2)
		return 0;
	printf("\n%s: referenced in %zu windows", name, set.windows);
	for (q = 0; q < FLT_WSET_QUANTILES; q++)
		printf(", %s %s", quantile_names[q], flt_units_write_size(text, set.referenced[q]));
	printf("\n");
	ret = say_curve(samples, count);
	if (!w->args->cumulative && !w->args->profile)
		say_advice(&set);
	return ret;
}

/* Return true if an earlier sample belongs to the same process as sample i. */
static bool seen_before(const struct wss *w, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (w->all.sample[k].tgid == w->all.sample[i].tgid)
			return true;
	return false;
}

static int sum_up_processes(struct wss *w, size_t *processes)
{
	char name[2 * FLT_COMM_LEN + 24];
	size_t i;
	int ret = 0;

	*processes = 0;
	for (i = 0; i < w->all.count && !ret; i++) {
		struct flt_samples own = { 0 };

		if (seen_before(w, i))
			continue;
		++*processes;
		if (w->args->style.format == FLT_FORMAT_TEXT && *processes > PROCESSES_LISTED)
			continue;
		ret = wss_history_choose(w, w->all.sample[i].tgid, NULL, &own);
		snprintf(name, sizeof(name), "pid %" PRIu32, w->all.sample[i].tgid);
		if (!ret)
			ret = sum_up(w, name, own.sample, own.count);
		flt_samples_free(&own);
	}
	return ret;
}

static int sum_up_all(struct wss *w)
{
	struct flt_samples total = { 0 };
	int ret = flt_wset_total(&w->all, &total);

	if (!ret && total.count)
		ret = sum_up(w, "all processes", total.sample, total.count);
	flt_samples_free(&total);
	return ret;
}

/* Write how long the module held mmap_lock. A process that maps or unmaps waits that long. */
static int sum_up_holds(struct wss *w)
{
	char half[FLT_UNITS_TEXT], most[FLT_UNITS_TEXT], longest[FLT_UNITS_TEXT];
	const uint64_t holds = flt_hist_total(&w->holds);

	if (w->args->style.format != FLT_FORMAT_TEXT)
		return wss_rows_holds(w);
	if (holds && w->all.count > 1)
		printf("\nmmap_lock was held %" PRIu64 " times: p50 %s, p99 %s, at most %s\n",
		       holds, flt_units_write_ns(half, flt_hist_percentile(&w->holds, 50000)),
		       flt_units_write_ns(most, flt_hist_percentile(&w->holds, 99000)),
		       flt_units_write_ns(longest, flt_hist_max(&w->holds)));
	return 0;
}

int wss_summary(struct wss *w)
{
	const struct flt_loss loss = {
		.samples = w->lost, .untraced = w->untracked, .unreadable = w->refused,
		.childless = w->childless,
	};
	char left[FLT_UNITS_TEXT];
	size_t processes;
	int ret = 0, status;

	if (w->args->style.format == FLT_FORMAT_TEXT)
		wss_rows_flush(w);
	if (w->args->compare) {
		ret = wss_compare(w);
	} else {
		ret = sum_up_processes(w, &processes);
		if (!ret && processes > 1)
			ret = sum_up_all(w);
	}
	if (!ret)
		ret = sum_up_holds(w);
	if (w->args->style.format != FLT_FORMAT_TEXT)
		flt_table_flush(w->table, true);
	if (ret)
		return flt_command_fail(w->command, &w->o.e, ret);
	if (!w->all.count)
		flt_command_say(w->command, "%s", w->args->cgroup ?
				"no process stayed in the cgroup for a whole window" :
				"the run ended before the first window was complete "
				"(give a shorter INTERVAL)");
	if (w->stride)
		flt_command_say(w->command, "the summary is of one window in %" PRIu64 ", because "
				"there were too many samples to keep all", w->stride);
	if (w->lost_flags & FLT_WSS_STRETCHED)
		flt_command_say(w->command, "some windows were longer than INTERVAL, because "
				"scanning reached the limit of --budget or waited for mmap_lock");
	if (w->balancing)
		flt_command_say(w->command, "kernel.numa_balancing is on: pages that the kernel "
				"itself makes fault may be missing from the figures of inject "
				"(sysctl kernel.numa_balancing=0)");
	if (w->left && w->args->style.format == FLT_FORMAT_TEXT)
		flt_command_say(w->command, "use of up to %s is unknown, because inject cannot "
				"make pages fault that are shared for copy-on-write, pinned, or "
				"otherwise special",
				flt_units_write_size(left, w->left));
	if (w->lost_flags & FLT_WSS_UNFLUSHED)
		flt_command_say(w->command, "pages in constant use may be missing, because the "
				"module cannot flush the TLB on this kernel");
	if (w->lost_flags & FLT_WSS_SECONDARY)
		flt_command_say(w->command, "pages used only through secondary page tables are "
				"missing (e.g. of a KVM guest), because those are not scanned");
	if (w->lost_flags & FLT_WSS_CUT)
		flt_command_say(w->command, "some scans are incomplete, because the process ended "
				"or held its mmap_lock");
	status = flt_loss_say(&loss, w->command);
	return w->all.count ? status : FLT_EXIT_INCOMPLETE;
}

struct curves {
	double *seconds, *referenced, *rss, *rate;
};

static void fill_curves(const struct flt_samples *s, struct curves *c)
{
	uint64_t begin = s->sample[0].time - s->sample[0].window;
	size_t i;

	for (i = 0; i < s->count; i++) {
		const struct flt_sample *p = &s->sample[i];

		c->seconds[i] = (double)(p->time - begin) / 1e9;
		c->referenced[i] = (double)p->referenced;
		c->rss[i] = (double)p->rss;
		c->rate[i] = p->window ? (double)(p->first_touch + p->refault) * 1e9 /
					 (double)p->window : 0;
	}
}

static int draw(struct wss *w, FILE *out, const struct flt_samples *s, const char *title)
{
	double *room = calloc(4 * s->count, sizeof(*room));
	struct curves c;
	bool faults = false;
	size_t i;

	if (!room)
		return -ENOMEM;
	c = (struct curves){ room, room + s->count, room + 2 * s->count, room + 3 * s->count };
	fill_curves(s, &c);
	for (i = 0; i < s->count; i++)
		faults |= (s->sample[i].has & FLT_SAMPLE_FAULTS) != 0;
	const struct flt_plot_line memory[] = {
		{ "referenced", c.seconds, c.referenced, s->count },
		{ "RSS", c.seconds, c.rss, s->count },
	};
	const struct flt_plot_line rate[] = { { "faulted in", c.seconds, c.rate, s->count } };
	const struct flt_plot plots[] = {
		{ "working set and resident memory", true, c.seconds[s->count - 1], memory, 2 },
		{ "faulted in per second", true, c.seconds[s->count - 1], rate, 1 },
	};
	(void)w;
	flt_plot_write(out, title, plots, faults ? 2 : 1, true);
	free(room);
	return 0;
}

int wss_plot(struct wss *w)
{
	struct flt_samples total = { 0 };
	char title[256], window[FLT_UNITS_TEXT];
	FILE *out;
	int ret;

	if (!w->all.count)
		return FLT_EXIT_DONE;
	ret = flt_wset_total(&w->all, &total);
	out = ret ? NULL : fopen(w->args->plot, "we");
	if (!ret && !out)
		ret = flt_errmsg_errno(&w->o.e, -errno, "cannot write %s", w->args->plot);
	snprintf(title, sizeof(title), "%s (pid %" PRIu32 "), method %s, windows of %s",
		 w->all.sample[0].comm, w->all.sample[0].tgid, w->taken[0]->name,
		 flt_units_write_ns(window, w->interval));
	if (!ret)
		ret = draw(w, out, &total, title);
	if (out && fclose(out) && !ret)
		ret = flt_errmsg_errno(&w->o.e, -errno, "cannot write %s", w->args->plot);
	flt_samples_free(&total);
	return ret ? flt_command_fail(w->command, &w->o.e, ret) : FLT_EXIT_DONE;
}
