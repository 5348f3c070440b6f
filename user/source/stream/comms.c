// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/comms.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/flt.h>

#define COMMS 1024

struct flt_comms {
	struct comm {
		uint32_t tid;
		uint64_t asked;		/* time (CLOCK_MONOTONIC ns) of the fault or */
					/* note that set name */
		char name[FLT_COMM_LEN + 1];
	} comm[COMMS];
};

struct flt_comms *flt_comms_new(void)
{
	return calloc(1, sizeof(struct flt_comms));
}

void flt_comms_free(struct flt_comms *c)
{
	free(c);
}

void flt_comms_put(struct flt_comms *c, const union flt_stream_note *head, const void *bytes)
{
	struct comm *at = &c->comm[head->life.tid % COMMS];

	if (head->record.type != FLT_EVENT_LIFE || head->life.what == FLT_LIFE_EXIT)
		return;
	/* A lookup in /proc now could return the name of a program executed since. */
	*at = (struct comm){ .tid = head->life.tid, .asked = head->life.time };
	memcpy(at->name, bytes, FLT_COMM_LEN);
}

/* Read the name of a thread from /proc. Return false if the thread has ended. */
static bool read_comm(uint32_t tgid, uint32_t tid, char name[FLT_COMM_LEN + 1])
{
	char path[64], text[FLT_COMM_LEN + 1];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm", tgid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, FLT_COMM_LEN);
	close(fd);
	if (n <= 0)
		return false;
	memcpy(name, text, (size_t)n);
	name[n - 1] = 0;	/* the line feed */
	return true;
}

void flt_comms_look(struct flt_comms *c, uint32_t tgid)
{
	char path[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", tgid);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		struct comm found = { .tid = (uint32_t)strtoul(d->d_name, NULL, 10) };

		if (found.tid && read_comm(tgid, found.tid, found.name))
			c->comm[found.tid % COMMS] = found;
	}
	if (dir)
		closedir(dir);
}

const char *flt_comms_get(struct flt_comms *c, const struct flt_fault *f)
{
	struct comm *at = &c->comm[f->tid % COMMS];

	if (at->tid != f->tid)
		*at = (struct comm){ .tid = f->tid };
	if (!at->asked || f->time >= at->asked + FLT_COMMS_FRESH_NS) {
		at->asked = f->time;
		/* A thread that has ended keeps its cached name. */
		read_comm(f->pid, f->tid, at->name);
	}
	return *at->name ? at->name : NULL;
}
