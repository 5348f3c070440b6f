// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/process/paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "event/device.h"
#include "index/index.h"

struct entry {
	struct entry *older, *newer;	/* in the order of the last put or get */
	uint64_t inode;
	uint32_t device;
	uint32_t number;		/* index into flt_paths.entries */
	char name[];
};

struct flt_paths {
	struct entry **entries;
	uint32_t count, room;
	struct flt_index index;
	struct entry *oldest, *newest;
};

int flt_paths_new(struct flt_paths **paths)
{
	*paths = calloc(1, sizeof(**paths));
	return *paths ? 0 : -ENOMEM;
}

void flt_paths_free(struct flt_paths *p)
{
	uint32_t i;

	if (!p)
		return;
	for (i = 0; i < p->count; i++)
		free(p->entries[i]);
	free(p->entries);
	flt_index_free(&p->index);
	free(p);
}

static struct entry *find(const struct flt_paths *p, uint32_t device, uint64_t inode)
{
	struct flt_index_search s = flt_index_search(flt_index_hash(inode, device));
	uint32_t n;

	while (flt_index_next(&p->index, &s, &n))
		if (p->entries[n]->inode == inode && p->entries[n]->device == device)
			return p->entries[n];
	return NULL;
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

static struct entry *entry_new(const struct flt_event_path *note, const void *bytes)
{
	static const char deleted[] = " (deleted)";
	struct entry *e = malloc(sizeof(*e) + (size_t)note->length + sizeof(deleted));

	if (!e)
		return NULL;
	e->inode = note->inode;
	e->device = flt_device_of_kernel(note->dev);
	memcpy(e->name, bytes, note->length);
	memcpy(e->name + note->length, deleted, sizeof(deleted));
	if (!(note->flags & FLT_PATH_DELETED))
		e->name[note->length] = 0;
	return e;
}

static int make_room(struct flt_paths *p)
{
	uint32_t room = p->room ? p->room * 2 : 64;
	struct entry **more;

	if (p->count < p->room)
		return 0;
	more = reallocarray(p->entries, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->entries = more;
	p->room = room;
	return 0;
}

/* Add an entry of a file that has none. Evict the oldest entry if there are FLT_PATHS_MAX. */
static int insert(struct flt_paths *p, struct entry *e)
{
	struct entry *old = p->count == FLT_PATHS_MAX ? p->oldest : NULL;
	int err = old ? 0 : make_room(p);

	if (old)
		flt_index_remove(&p->index, flt_index_hash(old->inode, old->device), old->number);
	e->number = old ? old->number : p->count;
	if (!err)
		err = flt_index_add(&p->index, flt_index_hash(e->inode, e->device), e->number);
	if (err)
		return err;
	if (old) {
		unlink_entry(p, old);
		free(old);
	} else {
		p->count++;
	}
	p->entries[e->number] = e;
	return 0;
}

int flt_paths_put(struct flt_paths *p, const struct flt_event_path *note, const void *bytes)
{
	struct entry *e, *old;
	int err = 0;

	if (!note->length)
		return 0;
	e = entry_new(note, bytes);
	if (!e)
		return -ENOMEM;
	old = find(p, e->device, e->inode);
	if (old) {
		e->number = old->number;
		p->entries[e->number] = e;
		unlink_entry(p, old);
		free(old);
	} else {
		err = insert(p, e);
	}
	if (err)
		free(e);
	else
		link_newest(p, e);
	return err;
}

const char *flt_paths_get(struct flt_paths *p, uint32_t device, uint64_t inode)
{
	struct entry *e = inode ? find(p, device, inode) : NULL;

	if (!e)
		return NULL;
	unlink_entry(p, e);
	link_newest(p, e);
	return e->name;
}
