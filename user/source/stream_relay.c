// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEBUGFS "/sys/kernel/debug/flt"
/* Heads and records are of one size, so sub-buffers are filled to the brim. */
#define UNIT sizeof(struct flt_event_record)
#define READ_UNITS 4096

struct cpu {
	int fd;
	uint64_t units;		/* taken so far: tells where heads are */
	uint64_t taken;		/* records among them */
	uint64_t lost;		/* told by the last head */
	uint64_t skipped;	/* written, but never seen by us */
	uint64_t last_time;	/* end of the last record */
};

struct flt_stream_relay {
	char path[64];
	uint64_t subbuf_units;
	struct cpu *cpu;
	uint32_t cpus;
	struct flt_event_record *held;
	size_t count, room;
	uint64_t delivered;
	struct flt_event_record buffer[READ_UNITS];
};

_Static_assert(sizeof(struct flt_subbuf) == UNIT, "heads and records are of one size");

static uint64_t end_of(const struct flt_event_record *r)
{
	return r->time + flt_event_latency(r);
}

static int by_end(const void *a, const void *b)
{
	uint64_t x = end_of(a), y = end_of(b);

	return (x > y) - (x < y);
}

/* Opens files that are there and not yet open; a CPU without one was never up. */
static int find_cpus(struct flt_stream_relay *s, struct flt_errmsg *e)
{
	char path[96];
	uint32_t i;

	for (i = 0; i < s->cpus; i++) {
		struct cpu *c = &s->cpu[i];

		if (c->fd >= 0)
			continue;
		snprintf(path, sizeof(path), "%s/cpu%u", s->path, i);
		c->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (c->fd < 0 && errno != ENOENT)
			return flt_errmsg_set(e, -errno, "cannot open %s: %s", path,
					      strerror(errno));
	}
	return 0;
}

int flt_stream_relay_open(struct flt_stream_relay **stream, uint32_t session,
			  uint32_t subbuf_size, struct flt_errmsg *e)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct flt_stream_relay *s;
	uint32_t i;
	int ret;

	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->subbuf_units = subbuf_size / UNIT;
	s->cpus = cpus > 0 ? (uint32_t)cpus : 1;
	s->cpu = calloc(s->cpus, sizeof(*s->cpu));
	if (!s->cpu) {
		free(s);
		return -ENOMEM;
	}
	for (i = 0; i < s->cpus; i++)
		s->cpu[i].fd = -1;
	snprintf(s->path, sizeof(s->path), DEBUGFS "/session-%u", session);
	if (access(s->path, X_OK)) {
		ret = flt_errmsg_set(e, -errno, "cannot reach %s: %s; mount -t debugfs none "
				     "/sys/kernel/debug", s->path, strerror(errno));
		goto err;
	}
	ret = find_cpus(s, e);
	if (ret)
		goto err;
	*stream = s;
	return 0;
err:
	flt_stream_relay_close(s);
	return ret;
}

void flt_stream_relay_close(struct flt_stream_relay *s)
{
	uint32_t i;

	if (!s)
		return;
	for (i = 0; i < s->cpus; i++)
		if (s->cpu[i].fd >= 0)
			close(s->cpu[i].fd);
	free(s->cpu);
	free(s->held);
	free(s);
}

static int hold(struct flt_stream_relay *s, const struct flt_event_record *r)
{
	struct flt_event_record *grown;
	size_t room;

	if (s->count == s->room) {
		room = s->room ? 2 * s->room : READ_UNITS;
		grown = reallocarray(s->held, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		s->held = grown;
		s->room = room;
	}
	s->held[s->count++] = *r;
	return 0;
}

static int take_head(struct cpu *c, uint32_t cpu, const struct flt_event_record *unit,
		     const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	struct flt_subbuf head;
	uint64_t gone;

	memcpy(&head, unit, sizeof(head));
	if (head.magic != FLT_SUBBUF_MAGIC || head.cpu != cpu || head.lost_full < c->lost ||
	    head.written < c->taken + c->skipped)
		return flt_errmsg_set(e, -EBADMSG, "the stream of CPU %u is damaged", cpu);
	/* relay itself may give up a sub-buffer in a race of reader and writer. */
	gone = head.lost_full - c->lost + head.written - c->taken - c->skipped;
	c->skipped = head.written - c->taken;
	c->lost = head.lost_full;
	return gone ? sink->gap(sink->arg, cpu, gone, c->last_time, head.time) : 0;
}

static int take_units(struct flt_stream_relay *s, uint32_t cpu, size_t count,
		      const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	struct cpu *c = &s->cpu[cpu];
	size_t i;
	int ret;

	for (i = 0; i < count; i++) {
		const struct flt_event_record *r = &s->buffer[i];

		if (c->units++ % s->subbuf_units == 0) {
			ret = take_head(c, cpu, r, sink, e);
		} else {
			c->taken++;
			c->last_time = end_of(r);
			ret = hold(s, r);
		}
		if (ret)
			return ret;
	}
	return 0;
}

static int read_cpu(struct flt_stream_relay *s, uint32_t cpu, const struct flt_stream_sink *sink,
		    struct flt_errmsg *e)
{
	ssize_t n;
	int ret;

	for (;;) {
		n = read(s->cpu[cpu].fd, s->buffer, sizeof(s->buffer));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return flt_errmsg_set(e, -errno, "cannot read %s/cpu%u: %s", s->path, cpu,
					      strerror(errno));
		if (n <= 0)
			return 0;
		if ((size_t)n % UNIT)
			return flt_errmsg_set(e, -EBADMSG, "the stream of CPU %u is damaged", cpu);
		ret = take_units(s, cpu, (size_t)n / UNIT, sink, e);
		if (ret)
			return ret;
	}
}

int flt_stream_relay_read(struct flt_stream_relay *s, bool last,
			  const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	struct timespec now;
	uint64_t horizon;
	size_t i;
	uint32_t cpu;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &now);
	horizon = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - FLT_STREAM_WINDOW_NS;
	ret = find_cpus(s, e);
	for (cpu = 0; !ret && cpu < s->cpus; cpu++)
		if (s->cpu[cpu].fd >= 0)
			ret = read_cpu(s, cpu, sink, e);
	if (ret)
		return ret;
	qsort(s->held, s->count, sizeof(*s->held), by_end);
	for (i = 0; i < s->count && (last || end_of(&s->held[i]) <= horizon); i++) {
		ret = sink->record(sink->arg, &s->held[i]);
		if (ret)
			return ret;
		s->delivered++;
	}
	memmove(s->held, s->held + i, (s->count - i) * sizeof(*s->held));
	s->count -= i;
	return 0;
}

void flt_stream_relay_count(const struct flt_stream_relay *s, uint64_t *delivered, uint64_t *lost)
{
	uint32_t i;

	*delivered = s->delivered;
	*lost = 0;
	for (i = 0; i < s->cpus; i++)
		*lost += s->cpu[i].lost + s->cpu[i].skipped;
}
