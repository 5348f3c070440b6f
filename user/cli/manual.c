// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "cli/command.h"

const char flt_manual_passed[] =
	"If the command after '--' fails, its exit status is passed on: 128 + N if signal N ended "
	"the command, 127 if the command was not found, and 126 if it could not be run.";

/* Print words, wrapped at width and indented. The first line begins at column. */
static void put_wrapped(FILE *out, const char *text, int indent, int column, int width)
{
	int length;

	while (*text) {
		length = (int)strcspn(text, " ");
		if (column > indent && column + 1 + length > width) {
			putc('\n', out);
			column = 0;
		}
		if (column < indent)
			column += fprintf(out, "%*s", indent - column, "");
		else if (column > indent)
			column += fprintf(out, " ");
		column += fprintf(out, "%.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	putc('\n', out);
}

void flt_manual_overview(FILE *out, const struct flt_command *const *commands)
{
	size_t i;

	fputs("Usage: fltctl COMMAND [options]\n\n"
	      "Shows where memory costs time: every page fault, counted exactly.\n\n"
	      "Commands:\n", out);
	for (i = 0; commands[i]; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n'fltctl help COMMAND' says more; 'fltctl --version' names the version.\n", out);
}

/* Choices without a name are listed. */
void flt_manual_arg(char text[FLT_MANUAL_ARG], const struct flt_opt *opt)
{
	const size_t size = FLT_MANUAL_ARG;
	size_t used = 0, i;

	text[0] = '\0';
	if (opt->arg) {
		snprintf(text, size, "%s", opt->arg);
		return;
	}
	for (i = 0; opt->choices && opt->choices[i] && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "|" : "",
					 opt->choices[i]);
}

char *flt_manual_text(char text[FLT_MANUAL_TEXT], const struct flt_opt *opt)
{
	char range[FLT_OPT_RANGE];

	flt_opt_range(range, opt);
	snprintf(text, FLT_MANUAL_TEXT, "%s%s%s%s%s", opt->help, *range ? " Allowed: " : "", range,
		 opt->power_of_two ? ", a power of two" : "", *range ? "." : "");
	return text;
}

static void help_option(FILE *out, const struct flt_opt *opt)
{
	char left[FLT_MANUAL_ARG + 64], arg[FLT_MANUAL_ARG], text[FLT_MANUAL_TEXT];
	int n;

	flt_manual_arg(arg, opt);
	n = opt->letter ? snprintf(left, sizeof(left), "  -%c, --%s", opt->letter, opt->name) :
			  snprintf(left, sizeof(left), "      --%s", opt->name);
	if (flt_opt_takes_value(opt))
		n += snprintf(left + n, sizeof(left) - (size_t)n, "=%s", arg);
	n = fprintf(out, "%s", left);
	if (n > 27) {
		putc('\n', out);
		n = 0;
	}
	put_wrapped(out, flt_manual_text(text, opt), 28, n, 80);
}

void flt_manual_help(FILE *out, const struct flt_command *command)
{
	const char *const *line;
	const struct flt_exit_note *note;
	const struct flt_opt *opt;

	for (line = command->synopsis; *line; line++)
		fprintf(out, "%s fltctl %s %s\n", line == command->synopsis ? "Usage:" : "      ",
			command->name, *line);
	for (line = command->about; line && *line; line++) {
		putc('\n', out);
		put_wrapped(out, *line, 0, 0, 80);
	}
	fputs("\nOptions:\n", out);
	for (opt = command->opts; opt && opt->name; opt++)
		help_option(out, opt);
	fputs("  -h, --help                This text.\n\nExit status:\n", out);
	for (size_t i = 0; i < FLT_EXIT_STATUSES; i++)
		fprintf(out, "  %zu  %s\n", i, flt_exit_texts[i]);
	for (note = command->exits; note && note->text; note++)
		fprintf(out, "  %d  %s\n", note->status, note->text);
	if (command->passes_status) {
		putc('\n', out);
		put_wrapped(out, flt_manual_passed, 0, 0, 80);
	}
}
