// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/names.h"

#include <errno.h>

int names_open(struct names *n)
{
	n->comms = flt_comms_new();
	return n->comms ? flt_paths_new(&n->paths) : -ENOMEM;
}

void names_close(struct names *n)
{
	flt_paths_free(n->paths);
	flt_comms_free(n->comms);
	*n = (struct names){ 0 };
}

void names_look(struct names *n, const uint32_t *tgids, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		flt_comms_look(n->comms, tgids[i]);
}

int names_note(struct names *n, const union flt_stream_note *head, const void *bytes)
{
	if (head->record.type == FLT_EVENT_PATH)
		return flt_paths_put(n->paths, &head->path, bytes);
	flt_comms_put(n->comms, head, bytes);
	return 0;
}

const char *names_comm(const struct names *n, const struct flt_fault *f)
{
	return flt_comms_get(n->comms, f);
}

const char *names_path(const struct names *n, const struct flt_fault *f)
{
	return flt_paths_get(n->paths, f->device, f->inode);
}
