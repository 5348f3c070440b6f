// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/progress.h"

#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct flt_progress {
	bool counts_lines, known;
	regex_t expression;
	double value;
	uint64_t lines;
	char line[FLT_PROGRESS_LINE + 1];
	size_t length;
};

int flt_progress_new(struct flt_progress **out, const char *metric, char *why, size_t size)
{
	struct flt_progress *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->counts_lines = p->known = !strcmp(metric, "lines");
	err = p->counts_lines ? 0 : regcomp(&p->expression, metric, REG_EXTENDED);
	if (err) {
		regerror(err, &p->expression, why, size);
		free(p);
		return -EINVAL;
	}
	*out = p;
	return 0;
}

void flt_progress_free(struct flt_progress *p)
{
	if (p && !p->counts_lines)
		regfree(&p->expression);
	free(p);
}

static void line_end(struct flt_progress *p)
{
	regmatch_t match[2];
	const regmatch_t *m;
	double value;
	char *end;

	p->line[p->length] = '\0';
	p->length = 0;
	p->lines++;
	if (p->counts_lines) {
		p->value = (double)p->lines;
		return;
	}
	if (regexec(&p->expression, p->line, 2, match, 0))
		return;
	m = p->expression.re_nsub && match[1].rm_so >= 0 ? &match[1] : &match[0];
	p->line[m->rm_eo] = '\0';
	value = strtod(p->line + m->rm_so, &end);
	if (end == p->line + m->rm_so || !isfinite(value))
		return;
	p->value = value;
	p->known = true;
}

void flt_progress_feed(struct flt_progress *p, const char *bytes, size_t n)
{
	size_t i;

	/* Progress bars end each update with a carriage return. */
	for (i = 0; i < n; i++) {
		if (bytes[i] == '\n' || (bytes[i] == '\r' && !p->counts_lines))
			line_end(p);
		else if (p->length < FLT_PROGRESS_LINE && bytes[i])
			p->line[p->length++] = bytes[i];
	}
}

bool flt_progress_value(const struct flt_progress *p, double *value)
{
	*value = p->value;
	return p->known;
}
