// SPDX-License-Identifier: GPL-2.0-or-later
#include "environment.h"

#include <stdbool.h>
#include <string.h>

#define PRELOAD "LD_PRELOAD="
#define LIBRARY "libfltrec.so"

static bool is(const char *variable, const char *name)
{
	return !strncmp(variable, name, strlen(name));
}

size_t rec_environment_room(char *const *env)
{
	size_t room = sizeof(*env), i;

	for (i = 0; env && env[i]; i++)
		room += sizeof(*env) + (is(env[i], PRELOAD) ? strlen(env[i]) + 1 : 0);
	return room;
}

static bool is_recorder(const char *path, size_t n)
{
	const size_t k = sizeof(LIBRARY) - 1;

	return n >= k && !memcmp(path + n - k, LIBRARY, k) && (n == k || path[n - k - 1] == '/');
}

/* Return the next library of LD_PRELOAD, or NULL. n receives the length of its path. */
static const char *next_library(const char *from, size_t *n)
{
	from += strspn(from, ": ");
	*n = strcspn(from, ": ");
	return *n ? from : NULL;
}

const char *rec_environment_library(const char *variable, size_t *n)
{
	const char *from;

	if (!is(variable, PRELOAD))
		return NULL;
	from = next_library(variable + sizeof(PRELOAD) - 1, n);
	while (from && !is_recorder(from, *n))
		from = next_library(from + *n, n);
	return from;
}

/* Copy the variable without the recorder. Return the number of libraries left. */
static size_t copy_preload(char *to, const char *from)
{
	size_t left = 0, n;

	to = stpcpy(to, PRELOAD);
	from += sizeof(PRELOAD) - 1;
	for (; (from = next_library(from, &n)); from += n) {
		if (is_recorder(from, n))
			continue;
		if (left++)
			*to++ = ':';
		to = mempcpy(to, from, n);
	}
	*to = 0;
	return left;
}

char *const *rec_environment_without(char *const *env, void *room)
{
	char **to = room, *text;
	size_t count = 0, i;

	while (env && env[count])
		count++;
	text = (char *)(to + count + 1);
	for (i = 0; i < count; i++) {
		if (is(env[i], "FLT_RECORD_SOCKET="))
			continue;
		if (!is(env[i], PRELOAD)) {
			*to++ = env[i];
		} else if (copy_preload(text, env[i])) {
			*to++ = text;
			text += strlen(text) + 1;
		}
	}
	*to = NULL;
	return room;
}
