// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUGFS "/sys/kernel/debug/flt"
#define READ_SLOTS 4096

struct flt_stream_relay {
	char path[64];
	int *fd;		/* one per CPU; -1: not open */
	uint32_t cpus;
};

/* Open files that exist and are not open yet. A CPU without a file was never online. */
static int open_cpu_files(struct flt_stream_relay *s, struct flt_errmsg *e)
{
	char path[96];
	uint32_t i;

	for (i = 0; i < s->cpus; i++) {
		if (s->fd[i] >= 0)
			continue;
		snprintf(path, sizeof(path), "%s/cpu%u", s->path, i);
		s->fd[i] = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (s->fd[i] < 0 && errno != ENOENT)
			return flt_errmsg_set(e, -errno, "cannot open %s: %s", path,
					      strerror(errno));
	}
	return 0;
}

int flt_stream_relay_open(struct flt_stream_relay **relay, uint32_t session, uint32_t cpus,
			  struct flt_errmsg *e)
{
	struct flt_stream_relay *s = calloc(1, sizeof(*s));
	uint32_t i;
	int ret;

	if (!s)
		return -ENOMEM;
	s->cpus = cpus;
	s->fd = calloc(cpus, sizeof(*s->fd));
	if (!s->fd) {
		free(s);
		return -ENOMEM;
	}
	for (i = 0; i < cpus; i++)
		s->fd[i] = -1;
	snprintf(s->path, sizeof(s->path), DEBUGFS "/session-%u", session);
	if (access(s->path, X_OK)) {
		ret = flt_errmsg_set(e, -errno, "cannot reach %s: %s; mount -t debugfs none "
				     "/sys/kernel/debug, or take --channel netlink", s->path,
				     strerror(errno));
		goto err;
	}
	ret = open_cpu_files(s, e);
	if (ret)
		goto err;
	*relay = s;
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
		if (s->fd[i] >= 0)
			close(s->fd[i]);
	free(s->fd);
	free(s);
}

static int read_cpu(struct flt_stream_relay *s, uint32_t cpu, struct flt_slots *slots,
		    const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	union flt_stream_note *slot;
	ssize_t n;
	int ret;

	for (;;) {
		ret = flt_slots_room(slots, cpu, READ_SLOTS, &slot, e);
		if (ret)
			return ret;
		n = read(s->fd[cpu], slot, READ_SLOTS * sizeof(*slot));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return flt_errmsg_set(e, -errno, "cannot read %s/cpu%u: %s", s->path, cpu,
					      strerror(errno));
		if (!n)
			return 0;
		/* The module returns whole slots. */
		ret = flt_slots_take(slots, cpu, (size_t)n / sizeof(*slot), sink, e);
		if (ret)
			return ret;
	}
}

int flt_stream_relay_read(struct flt_stream_relay *s, struct flt_slots *slots,
			  const struct flt_stream_sink *sink, struct flt_errmsg *e)
{
	uint32_t cpu;
	int ret = open_cpu_files(s, e);

	for (cpu = 0; !ret && cpu < s->cpus; cpu++)
		if (s->fd[cpu] >= 0)
			ret = read_cpu(s, cpu, slots, sink, e);
	return ret;
}
