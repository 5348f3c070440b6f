// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/process/paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry *older, *newer;	/* by when it was last put or got */
	uint64_t inode;
	uint32_t dev;
	char name[];
};

struct flt_paths {
	struct entry **entry;
	size_t room, count;		/* room is a power of two, never full */
	struct entry *oldest, *newest;
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
	struct entry *e, *newer;

	if (!p)
		return;
	for (e = p->oldest; e; e = newer) {
		newer = e->newer;
		free(e);
	}
	free(p->entry);
	free(p);
}

/* Where it is looked for first. */
static size_t home(const struct flt_paths *p, uint32_t dev, uint64_t inode)
{
	uint64_t hash = (inode ^ (uint64_t)dev << 40) * 0x9e3779b97f4a7c15ull;

	return (size_t)(hash >> 20) & (p->room - 1);
}

/* Where it is, or would be. */
static size_t find(const struct flt_paths *p, uint32_t dev, uint64_t inode)
{
	size_t i = home(p, dev, inode);

	while (p->entry[i] && (p->entry[i]->inode != inode || p->entry[i]->dev != dev))
		i = (i + 1) & (p->room - 1);
	return i;
}

static int grow(struct flt_paths *p)
{
	struct flt_paths wide = { .room = 2 * p->room };
	struct entry *e;

	wide.entry = calloc(wide.room, sizeof(struct entry *));
	if (!wide.entry)
		return -ENOMEM;
	for (e = p->oldest; e; e = e->newer)
		wide.entry[find(&wide, e->dev, e->inode)] = e;
	free(p->entry);
	p->entry = wide.entry;
	p->room = wide.room;
	return 0;
}

static void unlink_entry(struct flt_paths *p, struct entry *e)
{
	*(e->older ? &e->older->newer : &p->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &p->newest) = e->older;
}

static void link_newest(struct flt_paths *p, struct entry *e)
{
	e->older = p->newest;
	e->newer = NULL;
	*(p->newest ? &p->newest->newer : &p->oldest) = e;
	p->newest = e;
}

/* What stands behind it moves up, unless it would then stand in front of its home. */
static void drop(struct flt_paths *p, size_t hole)
{
	struct entry *e = p->entry[hole];
	size_t i = hole, mask = p->room - 1;

	unlink_entry(p, e);
	free(e);
	p->count--;
	p->entry[hole] = NULL;
	while (p->entry[i = (i + 1) & mask]) {
		e = p->entry[i];
		if (((i - home(p, e->dev, e->inode)) & mask) < ((i - hole) & mask))
			continue;
		p->entry[hole] = e;
		p->entry[i] = NULL;
		hole = i;
	}
}

int flt_paths_put(struct flt_paths *p, const struct flt_event_path *note, const void *bytes)
{
	static const char deleted[] = " (deleted)";
	bool gone = note->flags & FLT_PATH_DELETED;
	struct entry *e;
	size_t at;

	if (!note->length)
		return 0;
	if (4 * p->count >= 3 * p->room && grow(p))
		return -ENOMEM;
	e = malloc(sizeof(*e) + (size_t)note->length + sizeof(deleted));
	if (!e)
		return -ENOMEM;
	e->inode = note->inode;
	e->dev = note->dev;
	memcpy(e->name, bytes, note->length);
	memcpy(e->name + note->length, deleted, sizeof(deleted));
	if (!gone)
		e->name[note->length] = 0;
	at = find(p, note->dev, note->inode);
	if (p->entry[at])
		drop(p, at);
	else if (p->count == FLT_PATHS_MAX)
		drop(p, find(p, p->oldest->dev, p->oldest->inode));
	p->entry[find(p, note->dev, note->inode)] = e;
	p->count++;
	link_newest(p, e);
	return 0;
}

const char *flt_paths_get(struct flt_paths *p, uint32_t dev, uint64_t inode)
{
	struct entry *e = inode ? p->entry[find(p, dev, inode)] : NULL;

	if (!e)
		return NULL;
	unlink_entry(p, e);
	link_newest(p, e);
	return e->name;
}
