// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/thread_rates.h"

#include <stdlib.h>
#include <string.h>

#include "index/array.h"
#include "model/counts/rates.h"

void flt_thread_rates_free(struct flt_thread_rates *rates)
{
	uint32_t i;

	for (i = 0; i < rates->count; i++)
		flt_rows_free(&rates->process[i].threads);
	free(rates->process);
	*rates = (struct flt_thread_rates){ 0 };
}

/* Return the index of the process in the list, or the index at which to insert it. */
static uint32_t place(const struct flt_thread_rates *rates, uint64_t id)
{
	uint32_t low = 0, high = rates->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (rates->process[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct flt_process_threads *find(const struct flt_thread_rates *rates, uint64_t id)
{
	const uint32_t at = place(rates, id);

	return at < rates->count && rates->process[at].id == id ? &rates->process[at] : NULL;
}

bool flt_thread_rates_has(const struct flt_thread_rates *rates, uint64_t id)
{
	return find(rates, id);
}

int flt_thread_rates_begin(struct flt_thread_rates *rates, uint64_t id)
{
	const uint32_t at = place(rates, id);
	struct flt_process_threads *process;
	int ret;

	if (find(rates, id))
		return 0;
	ret = flt_array_grow((void **)&rates->process, rates->count, &rates->room,
			     sizeof(*process));
	if (ret)
		return ret;
	process = &rates->process[at];
	memmove(process + 1, process, (rates->count - at) * sizeof(*process));
	*process = (struct flt_process_threads){ .id = id };
	rates->count++;
	return 0;
}

int flt_thread_rates_add(struct flt_thread_rates *rates, uint64_t id, bool torn,
			 struct flt_rows *threads, struct flt_rows *news)
{
	struct flt_process_threads *process = find(rates, id);
	bool first = !process;
	struct flt_rows changes = { 0 };
	uint64_t gone;
	size_t i;
	int ret = 0;

	if (first) {
		ret = flt_thread_rates_begin(rates, id);
		if (ret)
			return ret;
		process = find(rates, id);
	}
	flt_rates_order(threads);
	if (torn)
		ret = flt_rates_keep(threads, &process->threads);
	if (!ret && !first)
		ret = flt_rates_between(&process->threads, threads, &changes, NULL, &gone);
	for (i = 0; i < changes.count && !ret; i++)
		ret = flt_rows_add(news, &changes.row[i]);
	flt_rows_free(&changes);
	flt_rows_free(&process->threads);
	process->threads = *threads;
	*threads = (struct flt_rows){ 0 };
	return ret;
}

void flt_thread_rates_forget(struct flt_thread_rates *rates, uint64_t id)
{
	struct flt_process_threads *process = find(rates, id);

	if (!process)
		return;
	flt_rows_free(&process->threads);
	rates->count--;
	memmove(process, process + 1,
		(size_t)(rates->process + rates->count - process) * sizeof(*process));
}

void flt_thread_rates_keep(struct flt_thread_rates *rates, const struct flt_rows *procs)
{
	uint32_t i, kept = 0;
	size_t k = 0;

	for (i = 0; i < rates->count; i++) {
		struct flt_process_threads *process = &rates->process[i];

		while (k < procs->count && procs->row[k].id < process->id)
			k++;
		if (k < procs->count && procs->row[k].id == process->id && !procs->row[k].ended)
			rates->process[kept++] = *process;
		else
			flt_rows_free(&process->threads);
	}
	rates->count = kept;
}
