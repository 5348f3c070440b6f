// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/buffer.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ROOM 1024

int flt_buffer_grow(struct flt_buffer *b, size_t size)
{
	size_t room = b->room ? b->room : FIRST_ROOM;
	char *text;

	while (room - b->used < size)
		room *= 2;
	text = realloc(b->text, room);
	if (!text)
		return -ENOMEM;
	b->text = text;
	b->room = room;
	return 0;
}

void flt_buffer_free(struct flt_buffer *b)
{
	free(b->text);
	*b = (struct flt_buffer){ 0 };
}
