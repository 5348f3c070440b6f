// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/files.h"

#include <errno.h>
#include <stdlib.h>

#include "index/hash_table.h"

struct key {
	uint64_t inode;
	uint64_t device;	/* 64 bits, because uthash compares bytes: no padding */
};

struct file {
	UT_hash_handle hh;
	struct key key;
	const char *name;
};

struct flt_files {
	struct file *table;
};

struct flt_files *flt_files_new(void)
{
	return calloc(1, sizeof(struct flt_files));
}

void flt_files_free(struct flt_files *f)
{
	struct file *file, *next;

	if (!f)
		return;
	HASH_ITER(hh, f->table, file, next) {
		HASH_DEL(f->table, file);
		free(file);
	}
	free(f);
}

static struct file *file_find(const struct flt_files *f, const struct key *key)
{
	struct file *file;

	HASH_FIND(hh, f->table, key, sizeof(*key), file);
	return file;
}

int flt_files_name(struct flt_files *f, uint32_t device, uint64_t inode, const char *name)
{
	const struct key key = { .inode = inode, .device = device };
	struct file *file = file_find(f, &key);

	if (file) {
		file->name = name;
		return 0;
	}
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->key = key;
	file->name = name;
	HASH_ADD(hh, f->table, key, sizeof(file->key), file);
	if (!flt_hash_added(&file->hh)) {
		free(file);
		return -ENOMEM;
	}
	return 0;
}

const char *flt_files_find(const struct flt_files *f, uint32_t device, uint64_t inode)
{
	const struct key key = { .inode = inode, .device = device };
	const struct file *file = file_find(f, &key);

	return file ? file->name : NULL;
}
