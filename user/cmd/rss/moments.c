// SPDX-License-Identifier: GPL-2.0-or-later
/* moments.c - stop the processes, read their memory, and let them go. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/rss/rss.h"
#include "source/proc/procfs.h"
#include "text/clock.h"
#include "timeline/timeline.h"
#include "text/units.h"

int rss_moments_init(struct rss_moments *m, const struct flt_ids *targets, uint64_t memory)
{
	m->all = calloc(RSS_MOMENTS_MAX, sizeof(*m->all));
	if (!m->all)
		return -ENOMEM;
	m->targets = targets;
	m->pages_left = memory / FLT_RESIDENT_PAGE_BYTES;
	return 0;
}

void rss_moments_free(struct rss_moments *m)
{
	size_t i;

	flt_hold_free(m->hold);
	for (i = 0; i < m->count; i++)
		flt_moment_free(&m->all[i].moment);
	free(m->all);
	flt_family_free(&m->family);
}

static void fail(struct rss_moments *m, int err)
{
	if (m->err)
		return;
	m->err = err;
	if (!m->e.text[0])
		flt_errmsg_errno(&m->e, err, "cannot take the memory of the processes");
}

int rss_moments_family(struct rss_moments *m)
{
	size_t i;
	int ret = 0;

	if (m->child) {
		/* Orphans are our children, because we are a subreaper. */
		ret = flt_family_add_children(&m->family, (uint32_t)getpid());
		if (ret == -EOPNOTSUPP)
			ret = flt_family_add(&m->family, m->child);
	}
	for (i = 0; !ret && i < m->targets->count; i++)
		ret = flt_family_add(&m->family, m->targets->id[i]);
	return ret ? ret : flt_family_descend(&m->family);
}

/* Stop the family. *running: a thread could not be stopped. */
static int stop_family(struct rss_moments *m, bool *running)
{
	size_t done = 0;
	int ret;

	/* A process that was not stopped yet may fork. */
	flt_family_clear(&m->family);
	do {
		ret = rss_moments_family(m);
		for (; !ret && done < m->family.count; done++) {
			if (m->family.pid[done] == m->exiting)
				continue;
			ret = flt_hold_stop(m->hold, m->family.pid[done]);
			if (ret == -ENOMEM)
				return ret;
			/* Traced by another, or asleep in the kernel: reading twice will tell. */
			if (ret && ret != -ESRCH)
				*running = true;
			ret = 0;
		}
		if (!ret)
			ret = rss_moments_family(m);
	} while (!ret && done < m->family.count);
	return ret;
}

static uint64_t pages_of(const struct rss_moment *one)
{
	uint64_t pages = 0;
	size_t i;

	for (i = 0; i < one->moment.count; i++)
		pages += one->moment.processes[i].pages.count;
	return pages;
}

/* Return the index of the peak, or .count. */
static size_t find_peak(const struct rss_moments *m)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (m->all[i].kind == RSS_PEAK)
			break;
	return i;
}

const struct rss_moment *rss_moments_peak(const struct rss_moments *m)
{
	const size_t i = find_peak(m);

	return i < m->count ? &m->all[i] : NULL;
}

uint64_t rss_moments_resident(const struct rss_moments *m)
{
	uint64_t sum = 0, rss, read;
	size_t i;

	for (i = 0; i < m->family.count; i++)
		if (!flt_procfs_memory(m->family.pid[i], 0, &rss, &read))
			sum += rss;
	return sum;
}

/* Stop the family and read its memory. -EAGAIN: less memory is resident than at the peak. */
static int read_family(struct rss_moments *m, const struct rss_moment *peak,
		       struct rss_moment *to)
{
	int ret = stop_family(m, &to->running);

	to->moment.time = flt_clock_ns(CLOCK_MONOTONIC);
	to->since = to->moment.time - m->began;
	to->resident = rss_moments_resident(m);
	if (!ret && peak && to->resident <= peak->resident)
		return -EAGAIN;
	return ret ? ret : rss_moment_read(to, m->family.pid, m->family.count, &m->pages_left,
					   &m->e);
}

/*
 * A peak replaces the earlier one, which is kept until then, beyond --memory, because the
 * processes may end meanwhile.
 */
static bool take(struct rss_moments *m, enum rss_when_kind kind)
{
	struct rss_moment fresh = { .kind = kind, .moment.page = flt_timeline_page_size() };
	const size_t at = kind == RSS_PEAK ? find_peak(m) : m->count;
	const bool replaces = at < m->count;
	const uint64_t freed = replaces ? pages_of(&m->all[at]) : 0;
	char text[FLT_UNITS_TEXT];
	int ret;

	if (at == RSS_MOMENTS_MAX) {
		m->too_many = true;
		return false;
	}
	m->pages_left += freed;
	ret = read_family(m, replaces ? &m->all[at] : NULL, &fresh);
	if (ret && ret != -EAGAIN)
		fail(m, ret);
	if (ret || !fresh.moment.count) {
		m->pages_left += pages_of(&fresh);
		m->pages_left -= freed;
		flt_moment_free(&fresh.moment);
		return false;
	}
	snprintf(fresh.label, sizeof(fresh.label), "%s", kind == RSS_PEAK ? "peak" :
		 kind == RSS_EXIT ? "exit" : flt_units_write_ns(text, fresh.since));
	if (replaces)
		flt_moment_free(&m->all[at].moment);
	else
		m->count++;
	m->all[at] = fresh;
	return true;
}

/* The moment is complete when the processes go on: one may end then, which takes another moment. */
bool rss_moments_take(struct rss_moments *m, enum rss_when_kind kind)
{
	const bool taken = take(m, kind);

	flt_hold_release(m->hold);
	return taken;
}

static int by_time(const void *a, const void *b)
{
	const struct rss_moment *x = a, *y = b;

	return x->since < y->since ? -1 : x->since > y->since;
}

void rss_moments_sort(struct rss_moments *m)
{
	qsort(m->all, m->count, sizeof(*m->all), by_time);
}
