// SPDX-License-Identifier: GPL-2.0-or-later
/* junit.c - write the results as JUnit XML: a test case for the command, and one for each rule. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/expect/expect.h"
#include "text/escape.h"
#include "view/svg/xml.h"

/* XML has no way to write most control characters, so they are escaped first. */
static int write_text(const char *text, size_t length, FILE *out)
{
	const size_t size = length * FLT_ESCAPE_GROWTH + 1;
	char *shown = malloc(size);

	if (!shown)
		return -ENOMEM;
	flt_escape_text(shown, size, text, length);
	flt_xml_text(out, shown);
	free(shown);
	return 0;
}

static int write_rows(struct expect_run *r, const struct expect_result *result, FILE *out)
{
	char *text = NULL, *line, *next;
	size_t size, i;
	FILE *rows = open_memstream(&text, &size);
	int err = rows ? 0 : -ENOMEM;

	for (i = 0; !err && i < result->row_count; i++) {
		if (r->args->rows && i == r->args->rows)
			break;
		err = expect_row_text(r, &result->rows[i], "", rows);
	}
	if (rows && fclose(rows))
		err = -ENOMEM;
	for (line = text; !err && line && (next = strchr(line, '\n')); line = next + 1) {
		err = write_text(line, (size_t)(next - line), out);
		fputc('\n', out);
	}
	free(text);
	return err;
}

static int write_case(struct expect_run *r, const struct expect_result *result, FILE *out)
{
	const struct flt_rule *rule = result->rule;
	int err;

	fputs("    <testcase name=\"", out);
	err = write_text(rule->text, strlen(rule->text), out);
	fputs("\" classname=\"", out);
	if (!err)
		err = write_text(rule->file, strlen(rule->file), out);
	fprintf(out, "\" line=\"%" PRIu32 "\">", rule->line);
	if (!err && result->verdict == FLT_BUDGET_BROKEN) {
		fprintf(out, "<failure message=\"%" PRIu64 " faults\">", result->count);
		err = write_rows(r, result, out);
		fputs("</failure>", out);
	} else if (!err && result->verdict == FLT_BUDGET_UNMEASURED) {
		fputs("<error message=\"", out);
		err = write_text(result->why, strlen(result->why), out);
		fputs("\"/>", out);
	}
	fputs("</testcase>\n", out);
	return err;
}

int expect_junit(struct expect_run *r, const struct expect_result *results, FILE *out)
{
	const size_t failed = !r->unobserved && r->command_status ? 1 : 0;
	size_t n[3] = { 0 }, i;
	int err = 0;

	for (i = 0; i < r->budget->count; i++)
		n[results[i].verdict]++;
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"  <testsuite name=\"fltctl expect\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"%zu\">\n", r->budget->count + 1, n[FLT_BUDGET_BROKEN] + failed,
		n[FLT_BUDGET_UNMEASURED] + r->unobserved);
	fputs("    <testcase name=\"the command ends with status 0\" classname=\"command\">", out);
	if (failed)
		fprintf(out, "<failure message=\"status %d\"/>", r->command_status);
	if (r->unobserved)
		fputs("<error message=\"the command was not observed\"/>", out);
	fputs("</testcase>\n", out);
	for (i = 0; !err && i < r->budget->count; i++)
		err = write_case(r, &results[i], out);
	fputs("  </testsuite>\n</testsuites>\n", out);
	return err;
}
