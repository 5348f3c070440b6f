// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/files.h"

#include <errno.h>
#include <stdlib.h>

struct file {
	uint64_t inode;
	uint32_t device;
	const char *name;	/* NULL: a free slot */
};

struct flt_files {
	struct file *slots;
	uint32_t mask, count;
};

struct flt_files *flt_files_new(void)
{
	struct flt_files *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->mask = 63;
	f->slots = calloc(f->mask + 1, sizeof(*f->slots));
	if (!f->slots) {
		free(f);
		return NULL;
	}
	return f;
}

void flt_files_free(struct flt_files *f)
{
	if (f)
		free(f->slots);
	free(f);
}

static struct file *slot_of(struct file *slots, uint32_t mask, uint32_t device, uint64_t inode)
{
	uint64_t h = (inode ^ (uint64_t)device << 32) * 0x9e3779b97f4a7c15ull;
	uint32_t at = (uint32_t)(h >> 32) & mask;

	while (slots[at].name && (slots[at].inode != inode || slots[at].device != device))
		at = (at + 1) & mask;
	return &slots[at];
}

static int grow(struct flt_files *f)
{
	uint32_t mask = f->mask * 2 + 1, i;
	struct file *slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (i = 0; i <= f->mask; i++)
		if (f->slots[i].name)
			*slot_of(slots, mask, f->slots[i].device, f->slots[i].inode) = f->slots[i];
	free(f->slots);
	f->slots = slots;
	f->mask = mask;
	return 0;
}

int flt_files_name(struct flt_files *f, uint32_t device, uint64_t inode, const char *name)
{
	struct file *slot;

	if (f->count * 2 >= f->mask && grow(f))
		return -ENOMEM;
	slot = slot_of(f->slots, f->mask, device, inode);
	f->count += !slot->name;
	*slot = (struct file){ inode, device, name };
	return 0;
}

const char *flt_files_find(const struct flt_files *f, uint32_t device, uint64_t inode)
{
	return slot_of(f->slots, f->mask, device, inode)->name;
}
