// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/lineage.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GENERATIONS 65536	/* no longer chain is possible without a change meanwhile */
#define ATTEMPTS    16

/* Return the parent of a process, 0 if it has none, or -1 if the process does not exist. */
static pid_t parent_of(pid_t pid)
{
	char path[32], text[512], *p;
	int parent = -1, fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	p = strrchr(text, ')');
	if (!p || sscanf(p + 1, " %*c %d", &parent) != 1)
		return -1;
	return parent;
}

bool flt_lineage_is_stranger(pid_t pid, pid_t ancestor)
{
	pid_t at, last;
	int i, k;

	for (k = 0; k < ATTEMPTS; k++) {
		last = 0;
		for (i = 0, at = pid; i < GENERATIONS && at > 0 && at != ancestor; i++) {
			last = at;
			at = parent_of(at);
		}
		if (at == ancestor)
			return false;
		/* A process that ends has parent 0 at the last moment, and then does not exist. */
		if (at == 0 && (!last || !parent_of(last)))
			return true;
		/* A process of the chain ended, so its children have another parent now. */
		if (parent_of(pid) < 0)
			return false;
	}
	return true;
}
