// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/family.h"

#include <errno.h>
#include <stdlib.h>

#include "source/proc/procfs.h"

void flt_family_free(struct flt_family *f)
{
	flt_index_free(&f->index);
	free(f->pid);
	*f = (struct flt_family){ 0 };
}

void flt_family_clear(struct flt_family *f)
{
	flt_index_clear(&f->index);
	f->count = 0;
}

int flt_family_add(struct flt_family *f, uint32_t pid)
{
	const uint32_t hash = flt_index_hash(pid, 0);
	struct flt_index_search s = flt_index_search(hash);
	const size_t room = f->room ? f->room * 2 : 64;
	uint32_t *more, at;

	while (flt_index_next(&f->index, &s, &at))
		if (f->pid[at] == pid)
			return 0;
	if (f->count == f->room) {
		more = reallocarray(f->pid, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->pid = more;
		f->room = room;
	}
	f->pid[f->count] = pid;
	return flt_index_add(&f->index, hash, (uint32_t)f->count++);
}

static int on_child(void *arg, uint32_t pid)
{
	return flt_family_add(arg, pid);
}

int flt_family_add_children(struct flt_family *f, uint32_t pid)
{
	return flt_procfs_children(pid, on_child, f);
}

int flt_family_descend(struct flt_family *f)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < f->count; i++) {
		ret = flt_family_add_children(f, f->pid[i]);
		if (ret == -EOPNOTSUPP || ret == -ESRCH)
			ret = 0;
	}
	return ret;
}
