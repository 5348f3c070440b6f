// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/clock.h"
#include "cmd/wss/wss.h"
#include "observe/accounting.h"
#include "source/proc/procfs.h"
#include "source/proc/smaps.h"
#include "text/units.h"

/* PSS is not read in shorter windows, because the kernel walks all pages to read it. */
#define PSS_WINDOW_NS FLT_NSEC_PER_SEC
/* Percent of one CPU for reading PSS. The module's default for scanning is the same. */
#define BUDGET 2

uint64_t wss_window(const struct wss *w)
{
	return w->step[w->at].ticks * w->tick;
}

/*
 * Read PSS and, if it is still unknown, RSS. Reading takes as long as a scan, and the module
 * does not count it against its budget. So all targets together may use the budget once more
 * for reading PSS. A target that is not due yet has no PSS in this window.
 */
static void read_pss(struct wss *w, struct wss_target *t, struct flt_sample *s)
{
	const uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	const uint64_t budget = w->args->budget ? w->args->budget : BUDGET;
	struct wss_target *first;
	uint64_t rss, took;

	/* PSS is the value of now: skip a sample that waited long in the module's ring. */
	if (now < t->pss_due || now > s->time + wss_window(w))
		return;
	took = flt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (flt_smaps_rollup(s->tgid, &rss, &s->pss))
		return;
	took = flt_clock_ns(CLOCK_THREAD_CPUTIME_ID) - took;
	t->pss_due = now + took * 100 / budget * wss_targets_live(w, &first);
	if (!(s->has & FLT_SAMPLE_RSS))
		s->rss = rss;
	s->has |= FLT_SAMPLE_PSS | FLT_SAMPLE_RSS;
}

/* Complete a sample, keep it and write its row. window: number in the step, from 1. */
static int add_sample(struct wss *w, struct wss_target *t, struct flt_sample *s, uint64_t window)
{
	const struct wss_method *m = w->step[w->at].method;
	uint64_t read;
	int ret;

	/* The smaps of Linux 6.1 lack huge pages that were made to fault (PROT_NONE). */
	if (!(s->has & FLT_SAMPLE_PSS) && wss_window(w) >= PSS_WINDOW_NS && m != &wss_method_inject)
		read_pss(w, t, s);
	/* The methods damon and fault do not read RSS. */
	if (!(s->has & FLT_SAMPLE_RSS) && !flt_procfs_memory(s->tgid, 0, &s->rss, &read))
		s->has |= FLT_SAMPLE_RSS;
	if (w->args->written) {
		ret = wss_targets_written(w, t, s);
		if (ret)
			return ret;
	}
	s->nth = w->before + window;
	t->seen = s->nth;
	w->lost_flags |= s->flags;
	if (s->left > w->left)
		w->left = s->left;
	ret = wss_history_add(w, s);
	return ret ? ret : wss_rows_sample(w, s);
}

/* End the window of a target: take a sample. Mark a target that has ended. */
static int sample_target(struct wss *w, const struct wss_method *m, struct wss_target *t)
{
	struct flt_sample s = { .tgid = t->tgid };
	uint64_t now = flt_clock_ns(CLOCK_MONOTONIC), end;
	struct flt_row row;
	int ret;

	w->areas.count = 0;
	ret = flt_procfs_row(t->tgid, 0, &row);
	if (ret || row.ended) {
		t->ended = true;
		return 0;
	}
	if (t->refused)
		return 0;
	memcpy(s.comm, row.comm, sizeof(s.comm));
	s.start = row.start;
	ret = m->sample(w, t, &s);
	if (ret == -ESRCH) {
		t->ended = true;
		return 0;
	}
	if (ret)
		return ret;
	end = flt_clock_ns(CLOCK_MONOTONIC);
	s.time = now;
	/* damon sets window and duration itself, because the kernel thread of DAMON samples. */
	if (!s.window) {
		s.window = now - t->begun;
		s.duration = end - now;
	}
	wss_faults(w, t, &s);
	/*
	 * The next window begins after the bits were cleared, because reading and clearing
	 * many pages takes long.
	 */
	if (!w->args->cumulative)
		t->begun = end;
	return add_sample(w, t, &s, w->windows + 1);
}

/* End a window of all targets: take samples, then find new targets. */
static int sample_all(struct wss *w, const struct wss_method *m)
{
	struct wss_target *first;
	size_t i;
	int ret = 0;

	for (i = 0; i < w->targets && !ret; i++)
		if (!w->target[i].ended)
			ret = sample_target(w, m, &w->target[i]);
	w->windows++;
	if (!ret && !m->alone)
		ret = wss_targets_renew(w);
	wss_targets_drop(w);
	/* With a command, flt_observe ends the run when the command ends. */
	if (w->args->cgroup ? w->cgroup_gone :
	    !wss_targets_live(w, &first) && !w->o.child.pid)
		flt_loop_stop(w->o.loop);
	return ret;
}

/*
 * Return the window of the step that a sample ends, from 1. The first round of a tracker only
 * begins a window.
 */
static uint64_t window_of(const struct flt_sample *s)
{
	return s->round - 1;
}

/*
 * Add the new samples of a tracker. A window ends when its round is completed, because the
 * module still scans some of the processes until then.
 */
static int collect(struct wss *w, const struct wss_method *m)
{
	const uint64_t wanted = w->step[w->at].windows;
	struct flt_samples fresh = { 0 };
	struct wss_target *t;
	size_t i;
	int ret;

	ret = m->collect(w, &fresh);
	w->windows = w->rounds ? w->rounds - 1 : 0;
	for (i = 0; i < fresh.count && !ret; i++) {
		/* The tracker may make windows after the last one that the user asked for. */
		if (wanted && window_of(&fresh.sample[i]) > wanted)
			continue;
		ret = wss_targets_of(w, fresh.sample[i].tgid, &t);
		if (!ret)
			ret = add_sample(w, t, &fresh.sample[i], window_of(&fresh.sample[i]));
	}
	wss_targets_drop(w);
	flt_samples_free(&fresh);
	return ret;
}

static int begin_method(struct wss *w)
{
	const struct wss_method *m = w->step[w->at].method;
	int ret = 0;

	w->before += w->windows;
	w->ticks = 0;
	w->windows = 0;
	w->rounds = 0;
	/* A step also measures the processes that began during earlier steps. */
	if (w->at)
		ret = wss_targets_find(w);
	if (!ret && m->begin)
		ret = m->begin(w);
	return ret ? ret : wss_targets_join(w);
}

/* Begin a step. With --compare, skip methods that cannot begin. */
static int begin_step(struct wss *w)
{
	int ret = begin_method(w);

	while (ret && ret != -ENOMEM && w->args->compare) {
		flt_command_say(w->command, "without %s: %s", w->step[w->at].method->name,
				flt_errmsg_text(&w->o.e, ret));
		w->o.e = (struct flt_errmsg){ "" };
		w->step[w->at].left_out = true;
		if (++w->at == w->steps) {
			flt_loop_stop(w->o.loop);
			return 0;
		}
		ret = begin_method(w);
	}
	return ret;
}

static void end_method(struct wss *w, const struct wss_method *m)
{
	if (m->end)
		m->end(w);
}

static int end_step(struct wss *w)
{
	end_method(w, w->step[w->at].method);
	if (++w->at < w->steps)
		return begin_step(w);
	flt_loop_stop(w->o.loop);
	return 0;
}

static int on_tick(void *arg)
{
	struct wss *w = arg;
	const struct wss_step *step = &w->step[w->at];
	int ret = 0;

	w->ticks++;
	if (step->method->collect)
		ret = collect(w, step->method);
	else if (w->ticks % step->ticks == 0)
		ret = sample_all(w, step->method);
	if (!ret)
		ret = wss_cgroups_write(w, w->before + w->windows);
	if (!ret && !w->args->compare)
		wss_rows_flush(w);
	if (!ret && step->windows && w->windows >= step->windows)
		ret = end_step(w);
	return ret;
}

static int arm(void *arg)
{
	struct flt_accounting accounting;
	struct wss *w = arg;
	int ret = wss_targets_bind(w);

	if (!ret && w->control)
		ret = flt_accounting_start(w->control, FLT_ACCOUNTING_COUNTS, &accounting,
					   &w->o.e);
	return ret ? ret : begin_step(w);
}

static int finish(void *arg)
{
	struct wss *w = arg;
	const struct wss_method *m = w->at < w->steps ? w->step[w->at].method : NULL;
	int ret = 0, status, drawn;

	if (m && m->collect)
		ret = collect(w, m);
	if (!ret)
		ret = wss_cgroups_write(w, UINT64_MAX);
	if (m)
		end_method(w, m);
	if (ret)
		return flt_command_fail(w->command, &w->o.e, ret);
	status = wss_summary(w);
	if ((!status || status == FLT_EXIT_INCOMPLETE) && w->args->plot) {
		drawn = wss_plot(w);
		status = drawn ? drawn : status;
	}
	return status;
}

static const struct flt_observe_ops ops = {
	.arm = arm,
	.round = on_tick,
	.finish = finish,
};

int wss_run(struct wss *w, char **command)
{
	int ret;

	w->wall_offset = flt_clock_wall_offset();
	w->o = (struct flt_observe){
		.command = w->command, .ops = &ops, .arg = w, .setup.argv = command,
		.period = w->tick, .stdout_of_command = w->redirect.original,
	};
	ret = wss_rows_open(w);
	return ret ? flt_command_fail(w->command, NULL, ret) : flt_observe_run(&w->o);
}
