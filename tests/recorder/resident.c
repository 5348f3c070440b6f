// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resident.c - print the number of present pages in the region of a recorded process.
 *
 * In /proc/PID/maps the region and its shadow are one or two large private anonymous mappings
 * without a name. The first half of them is the region. Pages are counted with pagemap. The process is
 * stopped meanwhile, because pages that move would be counted twice.
 */
#include "tests/workload/page.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return true if all threads of the process are stopped, or have ended. */
static bool is_stopped(const char *pid)
{
	char path[300], line[512], *state;
	bool stopped = true;
	struct dirent *d;
	DIR *dir;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/task/%s/stat", pid, d->d_name);
		f = *d->d_name == '.' ? NULL : fopen(path, "r");
		if (!f)
			continue;
		state = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
		if (state && !strchr("TtZX", state[2]))
			stopped = false;
		fclose(f);
	}
	if (dir)
		closedir(dir);
	return stopped;
}

int main(int argc, char **argv)
{
	uint64_t start, end, lo = 0, hi = 0, size = 0, present = 0, entry[512];
	char path[64], line[512];
	unsigned long inode;
	FILE *f;
	int fd;

	if (argc != 2)
		return 2;
	kill(atoi(argv[1]), SIGSTOP);
	while (!is_stopped(argv[1]))
		usleep(1000);
	snprintf(path, sizeof(path), "/proc/%s/maps", argv[1]);
	f = fopen(path, "r");
	if (!f) {
		kill(atoi(argv[1]), SIGCONT);
		return 1;
	}
	/* the region is aligned to 2 MiB within the largest run of such mappings */
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " rw-p %*x %*x:%*x %lu", &start, &end, &inode) != 3 ||
		    inode || strchr(line, '['))
			continue;
		if (start != hi)
			lo = start;
		hi = end;
		if (hi - lo > size) {
			size = hi - lo;
			snprintf(path, sizeof(path), "%" PRIx64, lo);
		}
	}
	fclose(f);
	lo = strtoull(path, NULL, 16);
	lo = (lo + (2u << 20) - 1) & ~((2ull << 20) - 1);
	snprintf(path, sizeof(path), "/proc/%s/pagemap", argv[1]);
	fd = open(path, O_RDONLY);
	/* all mappings of the test program are in the first GiB of the region */
	for (uint64_t a = lo; fd >= 0 && a < lo + (1ull << 30); a += sizeof(entry) / 8 * PAGE) {
		ssize_t n = pread(fd, entry, sizeof(entry), (off_t)(a / PAGE * 8));

		for (ssize_t i = 0; i < n / 8; i++)
			present += entry[i] >> 63;
	}
	kill(atoi(argv[1]), SIGCONT);
	printf("%" PRIu64 "\n", present);
	return 0;
}
