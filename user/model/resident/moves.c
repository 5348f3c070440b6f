// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/resident/moves.h"

#include <stdlib.h>

#include "index/array.h"

void flt_resident_moves_free(struct flt_resident_moves *m)
{
	free(m->all);
	*m = (struct flt_resident_moves){ 0 };
}

int flt_resident_moves_add(struct flt_resident_moves *m, const struct flt_resident_move *move)
{
	const int ret = flt_array_grow((void **)&m->all, m->count, &m->room, sizeof(*m->all));

	if (ret)
		return ret;
	m->all[m->count++] = *move;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct flt_resident_move *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static uint64_t end_of(const struct flt_resident_move *move)
{
	return move->to + (move->end - move->start);
}

/* Return true if one of the later moves unmaps the same pages, and no page was moved. */
static bool is_repeated(const struct flt_resident_move *move,
			const struct flt_resident_move *later, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (later[i].to <= move->to && end_of(move) <= end_of(&later[i]))
			return true;
	return false;
}

/* Return true if a page of the moment came through the place to which a move went. */
static bool matters(const struct flt_resident_move *move, const struct flt_resident_move *later,
		    size_t count, const struct flt_resident_pages *p)
{
	const uint64_t end = end_of(move);
	size_t i;

	if (flt_resident_pages_have(p, move->to >> p->page.shift, end >> p->page.shift))
		return true;
	for (i = 0; i < count; i++)
		if (later[i].start < end && move->to < later[i].end)
			return true;
	return false;
}

/* From the last one, because a move matters if a later one that matters goes on from its place. */
void flt_resident_moves_settle(struct flt_resident_moves *m, const struct flt_resident_pages *p)
{
	uint32_t i, kept = m->count;
	bool moved = false;

	if (!m->count)
		return;
	for (i = 0; i < m->count; i++)
		moved |= m->all[i].end != UINT64_MAX;
	qsort(m->all, m->count, sizeof(*m->all), by_time);
	while (i--)
		if (matters(&m->all[i], m->all + kept, m->count - kept, p) &&
		    (moved || !is_repeated(&m->all[i], m->all + kept, m->count - kept)))
			m->all[--kept] = m->all[i];
	for (i = kept; i < m->count; i++)
		m->all[i - kept] = m->all[i];
	m->count -= kept;
}

/* Return the index of the first move after a time. */
static uint32_t first_after(const struct flt_resident_moves *m, uint64_t time)
{
	uint32_t low = 0, high = m->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (m->all[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool flt_resident_moves_follow(const struct flt_resident_moves *m, uint64_t time,
			       uint64_t *address)
{
	const struct flt_resident_move *move;
	uint32_t i;

	for (i = first_after(m, time); i < m->count; i++) {
		move = &m->all[i];
		if (*address >= move->start && *address < move->end)
			*address += move->to - move->start;
		else if (*address >= move->to && *address < end_of(move))
			return false;
	}
	return true;
}
