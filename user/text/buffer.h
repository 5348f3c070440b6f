/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buffer.h - text that grows at its end. Without a terminator. */
#ifndef FLT_BUFFER_H
#define FLT_BUFFER_H

#include <stddef.h>

/* All zero: empty. */
struct flt_buffer {
	char *text;
	size_t used, room;
};

/* Make room for the given number of bytes. Return -ENOMEM; then the text is unchanged. */
int flt_buffer_grow(struct flt_buffer *buffer, size_t size);
void flt_buffer_free(struct flt_buffer *buffer);

/* Return the end of the text, with room for size bytes. Return NULL if there is no memory. */
static inline char *flt_buffer_end(struct flt_buffer *b, size_t size)
{
	if (__builtin_expect(b->room - b->used < size, 0) && flt_buffer_grow(b, size))
		return NULL;
	return b->text + b->used;
}

#endif
