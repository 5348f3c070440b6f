// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/manpage.h"

#include <ctype.h>

#include "cli/manual.h"

/* Escape backslashes, and characters that begin a troff request. */
static void put_roff(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			putc(*text, out);
	}
}

void flt_manpage_term(FILE *out, const char *term, const char *meaning)
{
	fputs(".TP\n.B ", out);
	put_roff(out, term);
	putc('\n', out);
	put_roff(out, meaning);
	putc('\n', out);
}

static void page_option(FILE *out, const struct flt_opt *opt)
{
	char arg[FLT_MANUAL_ARG], text[FLT_MANUAL_TEXT];

	fputs(".TP\n", out);
	if (opt->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", opt->letter);
	fputs("\\fB\\-\\-", out);
	put_roff(out, opt->name);
	fputs("\\fR", out);
	if (flt_opt_takes_value(opt)) {
		flt_manual_arg(arg, opt);
		fputs("=\\fI", out);
		put_roff(out, arg);
		fputs("\\fR", out);
	}
	putc('\n', out);
	put_roff(out, flt_manual_text(text, opt));
	putc('\n', out);
}

static void page_overview(FILE *out, const struct flt_command *const *commands)
{
	size_t i;

	fputs(".TH FLTCTL 8 \"\" \"flt " FLT_VERSION "\" \"flt\"\n"
	      ".SH NAME\nfltctl \\- exact page fault accounts\n"
	      ".SH SYNOPSIS\n\\fBfltctl\\fR \\fICOMMAND\\fR [options]\n"
	      ".SH COMMANDS\n", out);
	for (i = 0; commands[i]; i++) {
		fprintf(out, ".TP\n\\fB%s\\fR\n", commands[i]->name);
		put_roff(out, commands[i]->summary);
		putc('\n', out);
	}
}

static void page_exit_status(FILE *out, const struct flt_command *command)
{
	const struct flt_exit_note *note;
	size_t i;

	fputs(".SH EXIT STATUS\n", out);
	for (i = 0; i < FLT_EXIT_STATUSES; i++) {
		fprintf(out, ".TP\n\\fB%zu\\fR\n", i);
		put_roff(out, flt_exit_texts[i]);
		putc('\n', out);
	}
	for (note = command ? command->exits : NULL; note && note->text; note++) {
		fprintf(out, ".TP\n\\fB%d\\fR\n", note->status);
		put_roff(out, note->text);
		putc('\n', out);
	}
	if (!command || command->passes_status) {
		fputs(".PP\n", out);
		put_roff(out, flt_manual_passed);
		putc('\n', out);
	}
}

void flt_manpage(FILE *out, const struct flt_command *command,
		 const struct flt_command *const *commands)
{
	const char *const *line;
	const struct flt_opt *opt;
	size_t i;

	if (!command) {
		page_overview(out, commands);
		page_exit_status(out, NULL);
		return;
	}
	fputs(".TH FLTCTL\\-", out);
	for (i = 0; command->name[i]; i++)
		putc(toupper((unsigned char)command->name[i]), out);
	fprintf(out, " 8 \"\" \"flt " FLT_VERSION "\" \"flt\"\n.SH NAME\nfltctl\\-%s \\- ",
		command->name);
	put_roff(out, command->summary);
	fputs("\n.SH SYNOPSIS\n.nf\n", out);
	for (line = command->synopsis; *line; line++) {
		fprintf(out, "\\fBfltctl %s\\fR ", command->name);
		put_roff(out, *line);
		putc('\n', out);
	}
	fputs(".fi\n.SH DESCRIPTION\n", out);
	for (line = command->about; line && *line; line++) {
		if (line != command->about)
			fputs(".PP\n", out);
		put_roff(out, *line);
		putc('\n', out);
	}
	fputs(".SH OPTIONS\n", out);
	for (opt = command->opts; opt && opt->name; opt++)
		page_option(out, opt);
	fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nHelp for this command.\n", out);
	page_exit_status(out, command);
	if (command->manual)
		command->manual(out);
}
