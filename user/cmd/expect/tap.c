// SPDX-License-Identifier: GPL-2.0-or-later
/* tap.c - write the results in the Test Anything Protocol, version 13. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/expect/expect.h"
#include "text/escape.h"

/* Write a text on one line. '#' begins a directive, so it is escaped. */
static int write_text(const char *text, FILE *out)
{
	const size_t length = strlen(text), size = length * FLT_ESCAPE_GROWTH + 1;
	char *shown = malloc(size), *c;

	if (!shown)
		return -ENOMEM;
	flt_escape_text(shown, size, text, length);
	for (c = shown; *c; c++)
		fprintf(out, *c == '#' ? "\\%c" : "%c", *c);
	fputc('\n', out);
	free(shown);
	return 0;
}

/* Write the block of YAML below a test that failed. */
static int write_block(struct expect_run *r, const struct expect_result *result, FILE *out)
{
	size_t i;
	int err = 0;

	fprintf(out, "  ---\n  verdict: %s\n  at: '%s:%" PRIu32 "'\n",
		flt_budget_verdict_name(result->verdict), result->rule->file, result->rule->line);
	if (result->verdict == FLT_BUDGET_BROKEN)
		fprintf(out, "  count: %" PRIu64 "\n", result->count);
	if (result->why[0])
		fprintf(out, "  why: |\n    %s\n", result->why);
	if (result->row_count)
		fputs("  faults: |\n", out);
	for (i = 0; !err && i < result->row_count; i++) {
		if (r->args->rows && i == r->args->rows)
			break;
		err = expect_row_text(r, &result->rows[i], "    ", out);
	}
	fputs("  ...\n", out);
	return err;
}

int expect_tap(struct expect_run *r, const struct expect_result *results, FILE *out)
{
	size_t i;
	int err = 0;

	fprintf(out, "TAP version 13\n1..%zu\n", r->budget->count + 1);
	fprintf(out, "%s 1 - the command ends with status 0\n",
		r->command_status || r->unobserved ? "not ok" : "ok");
	if (r->unobserved)
		fputs("  ---\n  why: the command was not observed\n  ...\n", out);
	else if (r->command_status)
		fprintf(out, "  ---\n  status: %d\n  ...\n", r->command_status);
	for (i = 0; !err && i < r->budget->count; i++) {
		fprintf(out, "%s %zu - ", results[i].verdict ? "not ok" : "ok", i + 2);
		err = write_text(results[i].rule->text, out);
		if (!err && results[i].verdict)
			err = write_block(r, &results[i], out);
	}
	return err;
}
