// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t inode;
	uint32_t dev;
	char *name;		/* NULL: free */
};

struct flt_paths {
	struct entry *entry;
	size_t room, count;	/* room is a power of two, never full */
};

int flt_paths_new(struct flt_paths **paths)
{
	struct flt_paths *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->room = 256;
	p->entry = calloc(p->room, sizeof(*p->entry));
	if (!p->entry) {
		free(p);
		return -ENOMEM;
	}
	*paths = p;
	return 0;
}

void flt_paths_free(struct flt_paths *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->room; i++)
		free(p->entry[i].name);
	free(p->entry);
	free(p);
}

/* Where it is, or would be. */
static struct entry *find(const struct flt_paths *p, uint32_t dev, uint64_t inode)
{
	uint64_t hash = (inode ^ (uint64_t)dev << 40) * 0x9e3779b97f4a7c15ull;
	size_t i = (size_t)(hash >> 20) & (p->room - 1);

	while (p->entry[i].name && (p->entry[i].inode != inode || p->entry[i].dev != dev))
		i = (i + 1) & (p->room - 1);
	return &p->entry[i];
}

static int grow(struct flt_paths *p)
{
	struct flt_paths wide = { .room = 2 * p->room };
	size_t i;

	wide.entry = calloc(wide.room, sizeof(*wide.entry));
	if (!wide.entry)
		return -ENOMEM;
	for (i = 0; i < p->room; i++)
		if (p->entry[i].name)
			*find(&wide, p->entry[i].dev, p->entry[i].inode) = p->entry[i];
	free(p->entry);
	p->entry = wide.entry;
	p->room = wide.room;
	return 0;
}

int flt_paths_put(struct flt_paths *p, const struct flt_event_path *note, const void *bytes)
{
	static const char deleted[] = " (deleted)";
	bool gone = note->flags & FLT_PATH_DELETED;
	struct entry *e;
	char *name;

	if (!note->length)
		return 0;
	if (4 * p->count >= 3 * p->room && grow(p))
		return -ENOMEM;
	name = malloc((size_t)note->length + sizeof(deleted));
	if (!name)
		return -ENOMEM;
	memcpy(name, bytes, note->length);
	memcpy(name + note->length, deleted, sizeof(deleted));
	if (!gone)
		name[note->length] = 0;
	e = find(p, note->dev, note->inode);
	if (!e->name)
		p->count++;
	free(e->name);
	e->inode = note->inode;
	e->dev = note->dev;
	e->name = name;
	return 0;
}

const char *flt_paths_get(const struct flt_paths *p, uint32_t dev, uint64_t inode)
{
	return inode ? find(p, dev, inode)->name : NULL;
}
