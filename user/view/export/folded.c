// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text/escape.h"
#include "view/export/export.h"

static void name_write(FILE *out, const char *name)
{
	size_t length = strlen(name), room = length * FLT_ESCAPE_GROWTH + 1;
	char *plain = malloc(room), *at;

	if (!plain)
		return;
	flt_escape_text(plain, room, name, length);
	for (at = plain; *at; at++)
		fputc(*at == ';' ? ':' : *at, out);
	free(plain);
}

int flt_folded_write(FILE *out, const struct flt_flame_frame *frames, size_t n)
{
	const struct flt_flame_frame **path;
	uint32_t depth = 0, k;
	size_t i;

	for (i = 0; i < n; i++)
		if (frames[i].depth > depth)
			depth = frames[i].depth;
	path = calloc((size_t)depth + 1, sizeof(*path));
	if (!path)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		path[frames[i].depth] = &frames[i];
		if (!frames[i].self || !frames[i].depth)
			continue;
		for (k = 1; k <= frames[i].depth; k++) {
			if (k > 1)
				fputc(';', out);
			name_write(out, path[k]->name);
		}
		fprintf(out, " %" PRIu64 "\n", frames[i].self);
	}
	free(path);
	return 0;
}
