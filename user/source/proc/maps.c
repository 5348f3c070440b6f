// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/proc/machine.h"

#define AROUND_FILE "/sys/kernel/debug/fault_around_bytes"
#define AROUND_BYTES 65536u	/* the usual value */

int flt_maps_parse(char *line, struct flt_maps_entry *e)
{
	unsigned int major, minor;
	char mode[5];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &e->start,
		   &e->end, mode, &e->offset, &major, &minor, &e->inode, &at) < 7 ||
	    !at || e->start >= e->end || strlen(mode) != 4)
		return -EBADMSG;
	e->protection = (uint8_t)((mode[0] == 'r') | (mode[1] == 'w') << 1 | (mode[2] == 'x') << 2);
	e->shared = mode[3] == 's';
	e->device = (minor & 0xff) | major << 8 | (minor & ~0xffu) << 12;
	line[strcspn(line, "\n")] = '\0';
	e->name = line + at;
	return 0;
}

int flt_maps_read(uint32_t tgid, flt_maps_fn fn, void *arg)
{
	struct flt_maps_entry entry;
	char path[64], *line = NULL;
	size_t room = 0;
	int ret = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%u/maps", tgid);
	in = fopen(path, "re");
	if (!in)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!ret && getline(&line, &room, in) > 0)
		if (!flt_maps_parse(line, &entry))
			ret = fn(arg, &entry);
	if (!ret && ferror(in))
		ret = -ESRCH;
	free(line);
	fclose(in);
	return ret;
}

static ssize_t read_small(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return n;
}

void flt_maps_comm(uint32_t tgid, char *comm, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", tgid);
	read_small(path, comm, size);
}

uint32_t flt_maps_around(void)
{
	const uint64_t page = flt_machine_page();
	uint64_t bytes = AROUND_BYTES;
	char text[32];

	if (read_small(AROUND_FILE, text, sizeof(text)) > 0)
		bytes = strtoull(text, NULL, 10);
	return bytes >= page ? (uint32_t)(bytes / page) : 1;
}
