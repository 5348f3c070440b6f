// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/recording/strings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct flt_strings {
	char **slots;
	size_t mask, used;
	size_t bytes, bound;
};

static uint64_t text_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
	return h ^ h >> 29;
}

struct flt_strings *flt_strings_new(size_t bound)
{
	struct flt_strings *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->bound = bound;
	s->mask = 255;
	s->slots = calloc(s->mask + 1, sizeof(*s->slots));
	if (!s->slots) {
		free(s);
		return NULL;
	}
	return s;
}

void flt_strings_free(struct flt_strings *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i <= s->mask; i++)
		free(s->slots[i]);
	free(s->slots);
	free(s);
}

static int slots_grow(struct flt_strings *s)
{
	size_t mask = s->mask * 2 + 1, i, at;
	char **slots = calloc(mask + 1, sizeof(*slots));

	if (!slots)
		return -1;
	for (i = 0; i <= s->mask; i++) {
		if (!s->slots[i])
			continue;
		for (at = text_hash(s->slots[i]) & mask; slots[at]; at = (at + 1) & mask)
			;
		slots[at] = s->slots[i];
	}
	free(s->slots);
	s->slots = slots;
	s->mask = mask;
	return 0;
}

const char *flt_strings_add(struct flt_strings *s, const char *text)
{
	size_t at, length;

	if (s->used * 2 > s->mask && slots_grow(s))
		return NULL;
	for (at = text_hash(text) & s->mask; s->slots[at]; at = (at + 1) & s->mask)
		if (!strcmp(s->slots[at], text))
			return s->slots[at];
	length = strlen(text) + 1;
	if (s->bytes + length > s->bound)
		return NULL;
	s->slots[at] = malloc(length);
	if (!s->slots[at])
		return NULL;
	memcpy(s->slots[at], text, length);
	s->bytes += length;
	s->used++;
	return s->slots[at];
}
