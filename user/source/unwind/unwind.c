// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/unwind/unwind.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "source/unwind/library.h"

struct flt_unwind {
	const struct flt_unwind_library_ops *ops;
	void *state;		/* of the library */
	bool stopped;
};

static const struct flt_unwind_library_ops *const libraries[] = {
	[FLT_UNWIND_LIBUNWIND] = &flt_unwind_libunwind,
	[FLT_UNWIND_LIBDW] = &flt_unwind_libdw,
};

struct flt_unwind *flt_unwind_new(enum flt_unwind_library library, struct flt_unwind_store *store)
{
	struct flt_unwind *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->ops = libraries[library];
	u->state = u->ops->new(store);
	if (!u->state) {
		free(u);
		return NULL;
	}
	return u;
}

void flt_unwind_free(struct flt_unwind *u)
{
	if (!u)
		return;
	u->ops->free(u->state);
	free(u);
}

void flt_unwind_map(struct flt_unwind *u, uint64_t start, uint64_t offset, const char *path)
{
	struct stat st;

	if (!strcmp(path, FLT_UNWIND_VDSO) ||
	    (path[0] == '/' && path[1] != '/' && !stat(path, &st) && S_ISREG(st.st_mode)))
		u->ops->map(u->state, start, offset, path);
}

size_t flt_unwind_run(struct flt_unwind *u, const struct flt_unwind_sample *sample,
		      uint64_t *frames, size_t room)
{
	struct flt_unwind_sample plain = *sample;
	struct flt_unwind_stack stack = { .sample = &plain, .frames = frames, .room = room };

#ifdef FLT_UNWIND_LINK
	plain.regs[FLT_UNWIND_LINK] = flt_unwind_unsigned(plain.regs[FLT_UNWIND_LINK]);
#endif
	if (room)
		u->ops->run(u->state, &stack);
	u->stopped = !stack.ended;
	return stack.count;
}

bool flt_unwind_stopped(const struct flt_unwind *u)
{
	return u->stopped;
}
