// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapper file PATH      - map a file and read the byte at offset 64 KiB
 *        deleted PATH   - the same, with the file unlinked before the read
 *        memfd NAME     - the same with a memfd
 *        hugetlb NAME   - the same with a memfd of huge pages
 *
 * Prints "DEV INODE" of the mapping as in /proc/self/maps.
 */
#include "region.h"

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "", *path = argv[2];
	size_t size = 2 * HUGE_PAGE;
	unsigned long start, found;
	char line[8192], dev[16];
	volatile char *p;
	FILE *maps;
	int fd;

	if (!strcmp(what, "memfd"))
		fd = memfd_create(path, 0);
	else if (!strcmp(what, "hugetlb"))
		fd = memfd_create(path, MFD_HUGETLB);
	else if (!strcmp(what, "file") || !strcmp(what, "deleted"))
		fd = open(path, O_RDONLY);
	else
		errx(2, "usage: mapper file|deleted PATH, mapper memfd|hugetlb NAME");
	if (fd < 0 || ((*what == 'm' || *what == 'h') && ftruncate(fd, (off_t)size)))
		err(1, "%s", path);
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	if (*what == 'd' && unlink(path))
		err(1, "unlink");
	(void)p[65536];
	maps = fopen("/proc/self/maps", "re");
	if (!maps)
		err(1, "maps");
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%*x %*s %*x %15s %lu", &start, dev, &found) == 3 &&
		    start == (unsigned long)p)
			printf("%s %lu\n", dev, found);
	}
	fclose(maps);
	return 0;
}
