// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graph.c - a graph workload: Kronecker edges, CSR, breadth-first search.
 *
 * usage: graph SCALE [THREADS]
 *
 * The graph has 2^SCALE vertices with 16 edges each, in both directions. Prints a checksum on
 * standard output, which does not depend on the number of threads, and the elapsed and CPU
 * seconds of each phase on standard error. The edges are written sequentially, the CSR is
 * written at random, and the search reads at random.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEGREE 16

struct edge {
	uint32_t from, to;
};

static struct edge *edge;
static uint64_t *first;
static uint32_t *target, *level;
static size_t vertices, edges;
static unsigned int threads;

struct moment {
	double wall, cpu;
};

static double read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct moment now(void)
{
	return (struct moment){ read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID) };
}

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* A pair of bits of both ends selects one of four quadrants with 57, 19, 19 or 5 percent. */
static struct edge kronecker(uint64_t i, unsigned int scale)
{
	struct edge e = { 0, 0 };
	uint64_t r = 0;

	for (unsigned int bit = 0; bit < scale; bit++) {
		unsigned int chance;

		if (bit % 8 == 0)
			r = mix(i * 8 + bit / 8);
		chance = (unsigned int)(r & 0xff) * 100;
		r >>= 8;
		e.from = e.from << 1 | (chance >= 76 * 256);
		e.to = e.to << 1 | ((chance >= 57 * 256 && chance < 76 * 256) || chance >= 95 * 256);
	}
	/* Scatter the vertices. Otherwise those with small numbers would have most edges. */
	e.from = (uint32_t)(e.from * 2654435761u) & (uint32_t)(vertices - 1);
	e.to = (uint32_t)(e.to * 2654435761u) & (uint32_t)(vertices - 1);
	return e;
}

struct slice {
	pthread_t thread;
	unsigned int index, scale;
};

static void *make_slice(void *arg)
{
	const struct slice *s = arg;

	for (size_t i = edges * s->index / threads; i < edges * (s->index + 1) / threads; i++)
		edge[i] = kronecker(i, s->scale);
	return NULL;
}

static void *count_slice(void *arg)
{
	const struct slice *s = arg;

	for (size_t i = edges * s->index / threads; i < edges * (s->index + 1) / threads; i++) {
		__atomic_fetch_add(&first[edge[i].from + 1], 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&first[edge[i].to + 1], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static uint64_t *place;

static void *fill_slice(void *arg)
{
	const struct slice *s = arg;

	for (size_t i = edges * s->index / threads; i < edges * (s->index + 1) / threads; i++) {
		target[__atomic_fetch_add(&place[edge[i].from], 1, __ATOMIC_RELAXED)] = edge[i].to;
		target[__atomic_fetch_add(&place[edge[i].to], 1, __ATOMIC_RELAXED)] = edge[i].from;
	}
	return NULL;
}

static void each(void *(*run)(void *), unsigned int scale)
{
	struct slice s[64];

	for (unsigned int i = 0; i < threads; i++) {
		s[i] = (struct slice){ .index = i, .scale = scale };
		if (i)
			pthread_create(&s[i].thread, NULL, run, &s[i]);
	}
	run(&s[0]);
	for (unsigned int i = 1; i < threads; i++)
		pthread_join(s[i].thread, NULL);
}

static uint64_t search(uint32_t root)
{
	uint32_t *queue = malloc(vertices * sizeof(*queue));
	size_t head = 0, tail = 0;
	uint64_t sum = 0;

	memset(level, 0xff, vertices * sizeof(*level));
	level[root] = 0;
	queue[tail++] = root;
	while (head < tail) {
		uint32_t v = queue[head++];

		sum += level[v];
		for (uint64_t i = first[v]; i < first[v + 1]; i++)
			if (level[target[i]] == UINT32_MAX) {
				level[target[i]] = level[v] + 1;
				queue[tail++] = target[i];
			}
	}
	free(queue);
	return sum * 31 + tail;
}

int main(int argc, char **argv)
{
	unsigned int scale = argc > 1 ? (unsigned int)atoi(argv[1]) : 0;
	struct moment t[4] = { now() };
	uint64_t sum = 0;

	threads = argc > 2 ? (unsigned int)atoi(argv[2]) : 1;
	if (scale < 4 || scale > 26 || threads < 1 || threads > 64) {
		fprintf(stderr, "usage: graph SCALE [THREADS]\n");
		return 2;
	}
	vertices = (size_t)1 << scale;
	edges = vertices * DEGREE;
	edge = malloc(edges * sizeof(*edge));
	each(make_slice, scale);
	t[1] = now();
	first = calloc(vertices + 1, sizeof(*first));
	each(count_slice, scale);
	for (size_t i = 0; i < vertices; i++)
		first[i + 1] += first[i];
	place = malloc(vertices * sizeof(*place));
	memcpy(place, first, vertices * sizeof(*place));
	target = malloc(2 * edges * sizeof(*target));
	each(fill_slice, scale);
	free(place);
	free(edge);
	t[2] = now();
	level = malloc(vertices * sizeof(*level));
	for (uint64_t i = 0; i < 4; i++)
		sum += search((uint32_t)mix(i) & (uint32_t)(vertices - 1));
	t[3] = now();
	printf("%llu\n", (unsigned long long)sum);
	fprintf(stderr, "edges %.3f %.3f build %.3f %.3f search %.3f %.3f total %.3f %.3f\n",
		t[1].wall - t[0].wall, t[1].cpu - t[0].cpu, t[2].wall - t[1].wall,
		t[2].cpu - t[1].cpu, t[3].wall - t[2].wall, t[3].cpu - t[2].cpu,
		t[3].wall - t[0].wall, t[3].cpu - t[0].cpu);
	return 0;
}
