// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void word_quote(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=./,:@%^";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputc('\'', out);
}

char *flt_shell_quote(char *const *words)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (i = 0; words[i]; i++) {
		if (i)
			fputc(' ', out);
		word_quote(out, words[i]);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
