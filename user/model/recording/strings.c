// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/recording/strings.h"

#include <stdlib.h>
#include <string.h>

#include "index/hash_table.h"

struct string {
	UT_hash_handle hh;
	char text[];
};

struct flt_strings {
	struct string *table;
	size_t bytes, bound;
};

struct flt_strings *flt_strings_new(size_t bound)
{
	struct flt_strings *s = calloc(1, sizeof(*s));

	if (s)
		s->bound = bound;
	return s;
}

void flt_strings_free(struct flt_strings *s)
{
	struct string *string, *next;

	if (!s)
		return;
	HASH_ITER(hh, s->table, string, next) {
		HASH_DEL(s->table, string);
		free(string);
	}
	free(s);
}

const char *flt_strings_add(struct flt_strings *s, const char *text)
{
	size_t length = strlen(text);
	struct string *string;

	HASH_FIND(hh, s->table, text, length, string);
	if (string)
		return string->text;
	if (s->bytes + length + 1 > s->bound)
		return NULL;
	string = malloc(sizeof(*string) + length + 1);
	if (!string)
		return NULL;
	memcpy(string->text, text, length + 1);
	HASH_ADD_KEYPTR(hh, s->table, string->text, length, string);
	if (!flt_hash_added(&string->hh)) {
		free(string);
		return NULL;
	}
	s->bytes += length + 1;
	return string->text;
}
