// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/file/build_ids.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct flt_build_id {
	uint64_t device, inode;
	uint8_t size;
	uint8_t id[FLT_BUILD_ID_MAX];
};

void flt_build_ids_free(struct flt_build_ids *ids)
{
	free(ids->known);
}

static size_t build_id_read(int fd, uint8_t *id)
{
	const void *bits;
	struct stat st;
	Elf *elf;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	elf_version(EV_CURRENT);
	/* Not by mmap(), which would make pages of a program shared while rss looks at them. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return 0;
	n = dwelf_elf_gnu_build_id(elf, &bits);
	if (n > 0 && n <= FLT_BUILD_ID_MAX)
		memcpy(id, bits, (size_t)n);
	else
		n = 0;
	elf_end(elf);
	return (size_t)n;
}

static int open_plain(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Open a mapped file. map_files works even if the file was renamed or deleted. */
static int map_open(uint32_t pid, const struct flt_record_map *map, const char *name)
{
	char path[PATH_MAX + 64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, map->start, map->end);
	fd = open_plain(path);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/root%s", pid, name);
	fd = open_plain(path);
	if (fd >= 0)
		return fd;
	fd = open_plain(name);
	if (fd < 0)
		return fd;
	/* The process has ended. Its name may be another file's now. */
	if (!fstat(fd, &st) && st.st_ino == map->inode &&
	    (major(st.st_dev) << 20 | (minor(st.st_dev) & 0xfffff)) == map->device)
		return fd;
	close(fd);
	return -1;
}

void flt_build_ids_set(struct flt_build_ids *ids, uint32_t pid, struct flt_record_map *map,
		       const char *name)
{
	struct flt_build_id *known;
	size_t i;
	int fd;

	if (map->build_id_size || !(map->flags & FLT_MAP_EXEC) || name[0] != '/')
		return;
	for (i = 0; i < ids->count; i++) {
		known = &ids->known[i];
		if (known->device == map->device && known->inode == map->inode)
			goto found;
	}
	fd = map_open(pid, map, name);
	if (fd < 0)
		return;
	known = reallocarray(ids->known, ids->count + 1, sizeof(*known));
	if (!known)
		goto out;
	ids->known = known;
	known += ids->count++;
	known->device = map->device;
	known->inode = map->inode;
	known->size = (uint8_t)build_id_read(fd, known->id);
	close(fd);
found:
	map->build_id_size = known->size;
	memcpy(map->build_id, known->id, known->size);
	return;
out:
	close(fd);
}
