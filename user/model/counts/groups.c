// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "account/counter.h"
#include "index/index.h"

/* Processes that may be kept although incomplete rounds did not list them. */
#define UNSEEN_MAX 4096

/* A process, by the ID of its row. */
struct member {
	uint64_t id;
	uint64_t hash;		/* of the name of its group */
	uint64_t round;		/* last one with a row */
	uint32_t group;
	uint64_t last[FLT_GROUP_COUNTERS];
};

struct flt_groups {
	struct flt_group *group;
	uint32_t count, max;		/* with the fixed groups */
	struct member *member;
	uint32_t members, room;
	struct flt_index index;		/* of members */
	uint64_t round;
	uint64_t forgotten;		/* largest ID of a member that may still have a row */
	/*
	 * What members without a row had counted. Below 0 (wrapped) while such a member has a row
	 * again, see begin_again().
	 */
	uint64_t gone[FLT_GROUP_COUNTERS];
	uint64_t rowless[FLT_GROUP_COUNTERS];	/* the part of rows without member that was added */
};

int flt_groups_new(struct flt_groups **groups, uint32_t max)
{
	struct flt_groups *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	g->max = max + __FLT_GROUPS_FIXED;
	g->group = calloc(g->max, sizeof(*g->group));
	if (!g->group) {
		free(g);
		return -ENOMEM;
	}
	g->count = __FLT_GROUPS_FIXED;
	*groups = g;
	return 0;
}

void flt_groups_free(struct flt_groups *g)
{
	uint32_t i;

	if (!g)
		return;
	for (i = 0; i < g->count; i++)
		free(g->group[i].name);
	free(g->group);
	free(g->member);
	flt_index_free(&g->index);
	free(g);
}

static uint64_t hash_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
	return hash;
}

static uint64_t count_of(const struct flt_account *account, size_t i)
{
	const struct flt_counter *c = flt_counter_at(i);

	return c->fold == FLT_FOLD_SUM ? flt_counter_read(c, account) : 0;
}

static struct member *find(struct flt_groups *g, uint64_t id)
{
	struct flt_index_search s = flt_index_search(flt_index_hash(id, 0));
	uint32_t n;

	while (flt_index_next(&g->index, &s, &n))
		if (g->member[n].id == id)
			return &g->member[n];
	return NULL;
}

static struct member *add_member(struct flt_groups *g, uint64_t id)
{
	struct member *more;
	uint32_t room;

	if (g->members == g->room) {
		room = g->room ? g->room + g->room / 2 : 256;
		more = reallocarray(g->member, room, sizeof(*more));
		if (!more)
			return NULL;
		g->member = more;
		g->room = room;
	}
	if (flt_index_add(&g->index, flt_index_hash(id, 0), g->members))
		return NULL;
	more = &g->member[g->members++];
	*more = (struct member){ .id = id, .group = FLT_GROUP_ENDED };
	return more;
}

/* Remove a member. The last member takes its place. */
static void remove_member(struct flt_groups *g, uint32_t n)
{
	struct member *last = &g->member[--g->members];

	flt_index_remove(&g->index, flt_index_hash(g->member[n].id, 0), n);
	if (n == g->members)
		return;
	flt_index_remove(&g->index, flt_index_hash(last->id, 0), g->members);
	g->member[n] = *last;
	/* There is room, because two entries were removed. */
	flt_index_add(&g->index, flt_index_hash(last->id, 0), n);
}

/* Free the place of a group that did not count for a long time. Return 0 if there is none. */
static uint32_t evict(struct flt_groups *g)
{
	uint32_t i, k;

	for (i = __FLT_GROUPS_FIXED; i < g->count; i++)
		if (g->group[i].counted + FLT_GROUP_IDLE < g->round)
			break;
	if (i == g->count)
		return 0;
	for (k = 0; k < FLT_GROUP_COUNTERS; k++)
		g->group[FLT_GROUP_OTHER].n[k] += g->group[i].n[k];
	for (k = 0; k < g->members; k++)
		if (g->member[k].group == i)
			g->member[k].group = FLT_GROUP_OTHER;
	free(g->group[i].name);
	g->group[i] = (struct flt_group){ 0 };
	return i;
}

/* Return the group of a name, a new one if there is room. Return UINT32_MAX without memory. */
static uint32_t group_of(struct flt_groups *g, const char *name, uint64_t hash)
{
	uint32_t i;
	char *copy;

	for (i = __FLT_GROUPS_FIXED; i < g->count; i++)
		if (g->group[i].hash == hash && !strcmp(g->group[i].name, name))
			return i;
	copy = strdup(name);
	if (!copy)
		return UINT32_MAX;
	if (i == g->max)
		i = evict(g);
	if (!i) {
		free(copy);
		return FLT_GROUP_OTHER;
	}
	if (i == g->count)
		g->count++;
	g->group[i] = (struct flt_group){ .name = copy, .hash = hash, .counted = g->round };
	return i;
}

void flt_groups_begin(struct flt_groups *g)
{
	g->round++;
}

void flt_groups_reset(struct flt_groups *g)
{
	g->members = 0;
	g->forgotten = 0;
	flt_index_clear(&g->index);
	memset(g->gone, 0, sizeof(g->gone));
	memset(g->rowless, 0, sizeof(g->rowless));
}

bool flt_groups_counted(struct flt_groups *g, const struct flt_row *row)
{
	const struct member *m = find(g, row->id);
	size_t i;

	for (i = 0; m && i < FLT_GROUP_COUNTERS; i++)
		if (count_of(&row->account, i) > m->last[i])
			return true;
	return !m;
}

/*
 * The row of a process that was dropped as unseen is back. Add what it counted meanwhile to
 * FLT_GROUP_ENDED, because nobody saw in which group the process was.
 */
static void begin_again(struct flt_groups *g, struct member *m, const struct flt_row *row)
{
	size_t i;

	for (i = 0; i < FLT_GROUP_COUNTERS; i++) {
		m->last[i] = count_of(&row->account, i);
		g->gone[i] -= m->last[i];
	}
}

int flt_groups_add(struct flt_groups *g, const struct flt_row *row, const char *name)
{
	struct member *m = find(g, row->id);
	const uint64_t hash = name ? hash_of(name) : 0;
	struct flt_group *group;
	uint32_t number;
	uint64_t now;
	size_t i;

	if (!m) {
		m = add_member(g, row->id);
		if (!m)
			return -ENOMEM;
		if (row->id <= g->forgotten)
			begin_again(g, m, row);
	}
	/* A process of a group without room looks for a place again. */
	if (name && (m->hash != hash || m->group < __FLT_GROUPS_FIXED)) {
		number = group_of(g, name, hash);
		if (number == UINT32_MAX)
			return -ENOMEM;
		m->group = number;
		m->hash = hash;
	}
	m->round = g->round;
	group = &g->group[m->group];
	for (i = 0; i < FLT_GROUP_COUNTERS; i++) {
		now = count_of(&row->account, i);
		if (now <= m->last[i])
			continue;
		group->n[i] += now - m->last[i];
		group->counted = g->round;
		m->last[i] = now;
	}
	return 0;
}

/* Drop members without a row. Their counts are in the module's sum of retired rows. */
static void drop_unseen(struct flt_groups *g, bool complete)
{
	uint32_t n = 0, i;

	while (n < g->members) {
		struct member *m = &g->member[n];

		if (m->round == g->round) {
			n++;
			continue;
		}
		for (i = 0; i < FLT_GROUP_COUNTERS; i++)
			g->gone[i] += m->last[i];
		if (!complete && m->id > g->forgotten)
			g->forgotten = m->id;
		remove_member(g, n);
	}
}

static uint32_t count_unseen(const struct flt_groups *g)
{
	uint32_t n, unseen = 0;

	for (n = 0; n < g->members; n++)
		unseen += g->member[n].round != g->round;
	return unseen;
}

void flt_groups_end(struct flt_groups *g, bool complete, const struct flt_account *rowless)
{
	struct flt_group *ended = &g->group[FLT_GROUP_ENDED];
	uint64_t now;
	size_t i;

	if (complete || count_unseen(g) > UNSEEN_MAX)
		drop_unseen(g, complete);
	for (i = 0; i < FLT_GROUP_COUNTERS; i++) {
		now = count_of(rowless, i) - g->gone[i];
		/* A row that was retired after @rowless was read is in neither for now. */
		if ((int64_t)(now - g->rowless[i]) <= 0)
			continue;
		ended->n[i] += now - g->rowless[i];
		g->rowless[i] = now;
	}
}

const struct flt_group *flt_groups_at(const struct flt_groups *g, size_t i)
{
	return i < g->count ? &g->group[i] : NULL;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

uint64_t flt_groups_hidden(struct flt_groups *g)
{
	uint64_t *hash = calloc(g->members ? g->members : 1, sizeof(*hash)), hidden = 0;
	uint32_t i, n = 0;

	for (i = 0; hash && i < g->members; i++)
		if (g->member[i].group == FLT_GROUP_OTHER)
			hash[n++] = g->member[i].hash;
	if (hash)
		qsort(hash, n, sizeof(*hash), by_value);
	for (i = 0; hash && i < n; i++)
		hidden += !i || hash[i] != hash[i - 1];
	free(hash);
	return hidden;
}
