// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/correlation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/counts/correlate.h"
#include "model/counts/progress.h"
#include "observe/descriptor.h"
#include "text/escape.h"
#include "text/text_file.h"
#include "view/svg/plot.h"

#define SAMPLES_MAX 2048u
#define READ_BYTES 65536

struct sample {
	double seconds, value;
	struct flt_correlation_counts counts;
	bool known;		/* the output had a value of the metric so far */
};

struct flt_correlation {
	const struct flt_command *command;
	const struct flt_correlation_args *args;
	const char *event;	/* see flt_correlation_new() */
	struct flt_table_style style;
	struct flt_progress *progress;
	int saved_stdout;	/* standard output that the command would have had, or -1 */
	int pipe[2];
	struct flt_loop *loop;
	int in;			/* the file or pipe that has the metric, or -1 */
	struct sample samples[SAMPLES_MAX];
	size_t count;
	uint64_t begin, next, period;
};

int flt_correlation_new(struct flt_correlation **out, const struct flt_command *command,
			const struct flt_correlation_args *args, bool has_command,
			const struct flt_table_style *style, const char *event)
{
	char why[128] = "";
	struct flt_correlation *w;
	int err;

	*out = NULL;
	if (!args->metric && (args->file || args->plot))
		return flt_command_misuse(command, "%s needs --with",
					  args->file ? "--with-file" : "the plot");
	if (!args->metric)
		return FLT_EXIT_DONE;
	if (!has_command)
		return flt_command_misuse(command, "--with needs a command after '--'");
	if (style->format == FLT_FORMAT_CSV)
		return flt_command_misuse(command, "--with and --csv exclude each other (use "
					  "--json)");
	w = calloc(1, sizeof(*w));
	err = w ? flt_progress_new(&w->progress, args->metric, why, sizeof(why)) : -ENOMEM;
	if (err) {
		free(w);
		return err == -EINVAL ? flt_command_misuse(command, "--with: %s", why) :
					flt_command_fail(command, NULL, err);
	}
	w->command = command;
	w->args = args;
	w->event = event;
	w->style = *style;
	w->saved_stdout = w->in = w->pipe[0] = w->pipe[1] = -1;
	w->period = FLT_CORRELATION_PERIOD_NS;
	*out = w;
	return FLT_EXIT_DONE;
}

void flt_correlation_free(struct flt_correlation *w)
{
	if (!w)
		return;
	flt_descriptor_close(&w->pipe[1]);
	flt_descriptor_close(&w->in);
	flt_descriptor_close(&w->saved_stdout);
	flt_progress_free(w->progress);
	free(w);
}

static int open_file(struct flt_correlation *w)
{
	w->in = open(w->args->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* The command may create the file later. */
	if (w->in < 0)
		return errno == ENOENT ? 0 : -errno;
	/* Skip contents from before the command. */
	if (!w->count)
		lseek(w->in, 0, SEEK_END);
	return 0;
}

int flt_correlation_redirect(struct flt_correlation *w)
{
	if (!w)
		return 0;
	if (w->args->file)
		return open_file(w);
	if (pipe2(w->pipe, O_CLOEXEC))
		return -errno;
	fflush(stdout);
	w->saved_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (w->saved_stdout < 0 || dup2(w->pipe[1], STDOUT_FILENO) < 0)
		return -errno;
	w->in = w->pipe[0];
	return fcntl(w->in, F_SETFL, O_NONBLOCK) ? -errno : 0;
}

/* Read all available output of the command. Pass output of the pipe on to standard output. */
static void read_progress(struct flt_correlation *w)
{
	static char bytes[READ_BYTES];
	ssize_t n, done, k;

	if (w->in < 0 && w->args->file)
		open_file(w);
	while (w->in >= 0) {
		n = read(w->in, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		flt_progress_feed(w->progress, bytes, (size_t)n);
		for (done = 0; !w->args->file && done < n; done += k) {
			k = write(w->saved_stdout, bytes + done, (size_t)(n - done));
			if (k < 0 && errno != EINTR)
				break;
			k = k < 0 ? 0 : k;
		}
	}
}

static int on_output(void *arg, int fd, short events)
{
	struct flt_correlation *w = arg;

	read_progress(w);
	/* POLLHUP without POLLIN: the last writer closed the pipe, and all was read. */
	if (!(events & POLLIN))
		flt_loop_remove(w->loop, fd);
	return 0;
}

int flt_correlation_restore(struct flt_correlation *w, struct flt_loop *loop)
{
	if (!w || w->pipe[1] < 0)
		return 0;
	if (dup2(w->saved_stdout, STDOUT_FILENO) < 0)
		return -errno;
	flt_descriptor_close(&w->pipe[1]);
	return flt_correlation_watch(w, loop);
}

int flt_correlation_watch(struct flt_correlation *w, struct flt_loop *loop)
{
	/* Without the original there is no pipe. */
	if (!w || w->saved_stdout < 0)
		return 0;
	w->loop = loop;
	return flt_loop_add(loop, w->in, POLLIN, on_output, w);
}

void flt_correlation_pass_on(struct flt_correlation *w)
{
	if (w)
		read_progress(w);
}

/* Drop every second sample and double the period, to make room. */
static void halve_samples(struct flt_correlation *w)
{
	size_t i;

	for (i = 0; i < w->count / 2; i++)
		w->samples[i] = w->samples[2 * i];
	w->count = i;
	w->period *= 2;
}

void flt_correlation_add(struct flt_correlation *w, uint64_t now,
			 const struct flt_correlation_counts *counts)
{
	struct sample *l;

	if (!w)
		return;
	read_progress(w);
	if (!w->count)
		w->begin = now;
	if (w->count && now < w->next)
		return;
	if (w->count == SAMPLES_MAX)
		halve_samples(w);
	l = &w->samples[w->count++];
	*l = (struct sample){ .seconds = (double)(now - w->begin) / 1e9, .counts = *counts };
	l->known = flt_progress_value(w->progress, &l->value);
	w->next = now + w->period - w->period / 8;
}

/* The intervals between two samples that both have a value of the metric. */
struct series {
	size_t n;
	bool rate;		/* the metric never decreased, so its growth per second is used */
	bool latency;		/* any latency is known */
	double seconds[SAMPLES_MAX], faults[SAMPLES_MAX], mean[SAMPLES_MAX], metric[SAMPLES_MAX];
	double events[SAMPLES_MAX];
};

/* A counter decreases if a process ended: its counts are gone. Return 0 then. */
static uint64_t growth(uint64_t after, uint64_t before)
{
	return after > before ? after - before : 0;
}

static void fill_series(const struct flt_correlation *w, struct series *s)
{
	const struct sample *a, *b;
	uint64_t faults;
	double span;
	size_t i;

	s->rate = true;
	for (i = 1; i < w->count; i++)
		if (w->samples[i - 1].known && w->samples[i].value < w->samples[i - 1].value)
			s->rate = false;
	for (i = 1; i < w->count; i++) {
		a = &w->samples[i - 1];
		b = &w->samples[i];
		span = b->seconds - a->seconds;
		if (!a->known || span <= 0)
			continue;
		s->seconds[s->n] = b->seconds;
		faults = growth(b->counts.faults, a->counts.faults);
		s->faults[s->n] = (double)faults / span;
		s->events[s->n] = (double)growth(b->counts.events, a->counts.events) / span;
		s->mean[s->n] = faults ? (double)growth(b->counts.latency, a->counts.latency) /
					 (double)faults : 0;
		s->latency |= b->counts.latency > 0;
		s->metric[s->n] = s->rate ? (b->value - a->value) / span : b->value;
		s->n++;
	}
}

static void write_metric_name(const struct flt_correlation *w, const struct series *s, char *text,
		    size_t size)
{
	snprintf(text, size, "%.80s%s", w->args->metric, s->rate ? "/s" : "");
}

/* Bits of .known_if: the rows that have a value. */
enum {
	OF_SAMPLE = 1, OF_LATENCY = 2, OF_EVENTS = 4, OF_COEFFICIENTS = 8,
	OF_KNOWN = 16,		/* the coefficients are defined */
};

struct row {
	const char *record, *metric, *against, *event;
	double seconds, faults, latency, value, events;
	uint64_t lag;
	struct flt_coefficients c;
};

#define AT(member) FLT_AT(struct row, member)

static const struct flt_column columns[] = {
	{ "record", NULL, 0, FLT_COLUMN_STRING, AT(record) },
	{ "seconds", NULL, 0, FLT_COLUMN_REAL, AT(seconds), .decimals = 3, .known_if = OF_SAMPLE },
	{ "faults_per_second", NULL, 0, FLT_COLUMN_REAL, AT(faults), .decimals = 1,
	  .known_if = OF_SAMPLE },
	{ "latency_ns", NULL, 0, FLT_COLUMN_REAL, AT(latency), .known_if = OF_LATENCY },
	{ "metric", NULL, 0, FLT_COLUMN_STRING, AT(metric) },
	{ "value", NULL, 0, FLT_COLUMN_REAL, AT(value), .decimals = 3, .known_if = OF_SAMPLE },
	{ "against", NULL, 0, FLT_COLUMN_STRING, AT(against) },
	{ "n", NULL, 0, FLT_COLUMN_COUNT, AT(c.n), .known_if = OF_COEFFICIENTS },
	{ "lag", NULL, 0, FLT_COLUMN_COUNT, AT(lag), .known_if = OF_COEFFICIENTS },
	{ "pearson", NULL, 0, FLT_COLUMN_REAL, AT(c.pearson), .decimals = 4,
	  .known_if = OF_KNOWN },
	{ "spearman", NULL, 0, FLT_COLUMN_REAL, AT(c.spearman), .decimals = 4,
	  .known_if = OF_KNOWN },
	{ "event", NULL, 0, FLT_COLUMN_STRING, AT(event) },
	{ "events_per_second", NULL, 0, FLT_COLUMN_REAL, AT(events), .decimals = 1,
	  .known_if = OF_EVENTS },
	{ 0 },
};

static int write_samples(const struct flt_correlation *w, const struct series *s,
			 struct flt_table *table, const char *name)
{
	struct row row = { .record = "sample", .metric = name, .event = w->event };
	uint64_t known = OF_SAMPLE | (s->latency ? OF_LATENCY : 0) | (w->event ? OF_EVENTS : 0);
	size_t i;
	int err = 0;

	for (i = 0; !err && i < s->n; i++) {
		row.seconds = s->seconds[i];
		row.faults = s->faults[i];
		row.latency = s->mean[i];
		row.value = s->metric[i];
		row.events = s->events[i];
		err = flt_table_row(table, &row, known);
	}
	return err;
}

static int write_coefficients(const struct flt_correlation *w, const struct series *s,
			struct flt_table *table, FILE *out, const char *name, const double *against,
			const char *what)
{
	struct row row = { .record = "correlation", .metric = name, .against = what };
	struct flt_coefficients c;
	int err = flt_correlate(s->metric, against, s->n, &c);

	if (err)
		return err;
	if (w->style.format == FLT_FORMAT_TEXT) {
		if (c.known)
			fprintf(out, "with   %s against %s: Pearson %+.2f, Spearman %+.2f (n %zu, "
				"lag 0)\n", name, what, c.pearson, c.spearman, c.n);
		else
			fprintf(out, "with   %s against %s: not defined, %s (n %zu)\n", name, what,
				c.n < FLT_CORRELATE_LEAST ? "too few samples" : "one is constant",
				c.n);
		return 0;
	}
	row.c = c;
	return flt_table_row(table, &row, OF_COEFFICIENTS | (c.known ? OF_KNOWN : 0));
}

static int write_plot(const struct flt_correlation *w, const struct series *s, const char *name)
{
	char event[40];
	const struct flt_plot_line lines[] = {
		{ "faults/s", s->seconds, s->faults, s->n },
		{ name, s->seconds, s->metric, s->n },
		{ "mean latency, ns", s->seconds, s->mean, s->n },
		{ event, s->seconds, s->events, s->n },
	};
	const double seconds = s->n ? s->seconds[s->n - 1] : 1;
	struct flt_plot plots[4] = {
		{ .title = "Faults per second",
		  .seconds = seconds,
		  .lines = &lines[0],
		  .count = 1 },
		{ .title = name, .seconds = seconds, .lines = &lines[1], .count = 1 },
	};
	size_t count = 2;
	FILE *out = fopen(w->args->plot, "we");
	int err = 0;

	snprintf(event, sizeof(event), "%s/s", w->event ? w->event : "");
	if (w->event) {
		plots[count] = (struct flt_plot){ .title = event, .seconds = seconds,
						  .lines = &lines[3], .count = 1 };
		count++;
	}
	if (s->latency) {
		plots[count] = (struct flt_plot){ .title = "Mean latency of a fault, ns",
						  .seconds = seconds, .lines = &lines[2],
						  .count = 1 };
		count++;
	}
	if (out) {
		flt_plot_write(out, "Page faults and progress", plots, count, true);
		err = flt_text_file_close(out);
	} else {
		err = -errno;
	}
	if (err) {
		flt_command_say(w->command, "cannot write %s: %s", w->args->plot, strerror(-err));
		return flt_exit_of(err);
	}
	flt_command_say(w->command, "wrote %s", w->args->plot);
	return FLT_EXIT_DONE;
}

int flt_correlation_report(struct flt_correlation *w, FILE *out)
{
	struct flt_table *table = NULL;
	int err, status = FLT_EXIT_DONE;
	char name[96], shown[400];
	const char *metric;
	struct series *s;

	if (!w)
		return FLT_EXIT_DONE;
	s = calloc(1, sizeof(*s));
	err = s ? flt_table_new(&table, out, &w->style, columns, 0) : -ENOMEM;
	if (!err) {
		fill_series(w, s);
		write_metric_name(w, s, name, sizeof(name));
		flt_escape_text(shown, sizeof(shown), name, strlen(name));
		if (w->style.format == FLT_FORMAT_JSON)
			err = write_samples(w, s, table, name);
	}
	metric = w->style.format == FLT_FORMAT_TEXT ? shown : name;
	if (!err)
		err = write_coefficients(w, s, table, out, metric, s->faults, "faults/s");
	if (!err && s->latency)
		err = write_coefficients(w, s, table, out, metric, s->mean, "latency");
	if (!err && w->event)
		err = write_coefficients(w, s, table, out, metric, s->events, w->event);
	flt_table_free(table);
	if (err)
		status = flt_command_fail(w->command, NULL, err);
	else if (w->args->plot)
		status = write_plot(w, s, name);
	free(s);
	return status;
}
