// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/areas.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "index/array.h"

static int shmem_add(struct flt_areas_shmem *s, unsigned int major, unsigned int minor)
{
	uint64_t *more = reallocarray(s->device, s->count + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->device = more;
	s->device[s->count++] = (uint64_t)major << 32 | minor;
	return 0;
}

int flt_areas_shmem_read(struct flt_areas_shmem *s, uint32_t pid)
{
	char path[64], *line = NULL, *kind;
	unsigned int major, minor;
	size_t room = 0;
	struct stat st;
	FILE *file;
	int ret = 0, fd;

	/* memfd, System V and shared anonymous memory are files of one hidden tmpfs. */
	fd = memfd_create("flt", MFD_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st))
		ret = shmem_add(s, major(st.st_dev), minor(st.st_dev));
	if (fd >= 0)
		close(fd);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mountinfo", pid);
	file = fopen(path, "re");
	if (!file)
		return ret;
	while (!ret && getline(&line, &room, file) > 0) {
		kind = strstr(line, " - ");
		if (kind && sscanf(line, "%*u %*u %u:%u", &major, &minor) == 2 &&
		    (!strncmp(kind, " - tmpfs ", 9) || !strncmp(kind, " - devtmpfs ", 12)))
			ret = shmem_add(s, major, minor);
	}
	free(line);
	fclose(file);
	return ret;
}

static bool is_shmem(const struct flt_areas_shmem *s, unsigned int major, unsigned int minor)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (s->device[i] == ((uint64_t)major << 32 | minor))
			return true;
	return false;
}

/* Parse "start-end perms offset major:minor inode   name". Return false for other lines. */
static bool read_head(const char *line, const struct flt_areas_shmem *shmem,
		      struct flt_present_area *a)
{
	unsigned int major, minor;
	uint64_t inode;
	char perms[8];
	int at = 0;

	*a = (struct flt_present_area){ .page_size = 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 "%n", &a->start,
		   &a->end, perms, &a->offset, &major, &minor, &inode, &at) != 7 || !at)
		return false;
	at += (int)strspn(line + at, " ");
	snprintf(a->name, sizeof(a->name), "%.*s", (int)strcspn(line + at, "\n"), line + at);
	a->writable = perms[1] == 'w';
	a->shared = perms[3] == 's';
	a->file = inode != 0;
	a->heap = !strcmp(a->name, "[heap]");
	a->of = is_shmem(shmem, major, minor) ? FLT_PRESENT_SHMEM : FLT_PRESENT_FILE;
	return true;
}

/* Add the number of a line "Key: N kB". */
static void read_number(struct flt_present_area *a, const char *line, uint64_t page)
{
	struct flt_present_sums *s = &a->sums;
	uint64_t kib, n;
	char key[32];

	if (!strncmp(line, "VmFlags:", 8) && strstr(line, " ht"))
		a->of = FLT_PRESENT_HUGETLB;
	if (sscanf(line, "%31[^:]: %" SCNu64 " kB", key, &kib) != 2)
		return;
	n = (kib << 10) / page;
	if (!strcmp(key, "Rss"))
		s->rss = n;
	else if (!strcmp(key, "Anonymous"))
		s->by[FLT_PRESENT_ANON] = n;
	else if (!strcmp(key, "Shared_Clean") || !strcmp(key, "Shared_Dirty"))
		s->shared += n;
	else if (!strcmp(key, "AnonHugePages") || !strcmp(key, "ShmemPmdMapped") ||
		 !strcmp(key, "FilePmdMapped"))
		s->huge += n;
	else if (!strcmp(key, "Shared_Hugetlb") || !strcmp(key, "Private_Hugetlb"))
		s->by[FLT_PRESENT_HUGETLB] += n;
	else if (!strcmp(key, "Swap"))
		s->swap = n;
	else if (!strcmp(key, "KernelPageSize"))
		a->page_size = (uint32_t)(kib << 10);
}

static void finish(struct flt_present_area *a)
{
	if (a->of != FLT_PRESENT_HUGETLB)
		a->sums.by[a->of] = a->sums.rss - a->sums.by[FLT_PRESENT_ANON];
}

static int add(struct flt_areas *l, const struct flt_present_area *a)
{
	int ret = flt_array_grow((void **)&l->all, l->count, &l->room, sizeof(*l->all));

	if (!ret)
		l->all[l->count++] = *a;
	return ret;
}

int flt_areas_read(struct flt_areas *l, uint32_t pid, const struct flt_areas_shmem *shmem)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct flt_present_area area;
	char path[64], *line = NULL;
	size_t room = 0, i;
	FILE *file;
	int ret = 0;

	l->count = 0;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/smaps", pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!ret && getline(&line, &room, file) > 0) {
		/* Numbers begin with a capital letter, mappings with a hexadecimal digit. */
		if (!isupper((unsigned char)line[0])) {
			if (read_head(line, shmem, &area))
				ret = add(l, &area);
		} else if (l->count) {
			read_number(&l->all[l->count - 1], line, page);
		}
	}
	free(line);
	fclose(file);
	for (i = 0; i < l->count; i++)
		finish(&l->all[i]);
	return ret ? ret : l->count ? 0 : -ESRCH;
}

bool flt_areas_same(const struct flt_areas *a, const struct flt_areas *b)
{
	size_t i;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
		if (a->all[i].start != b->all[i].start || a->all[i].end != b->all[i].end ||
		    memcmp(&a->all[i].sums, &b->all[i].sums, sizeof(a->all[i].sums)))
			return false;
	return true;
}
