// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "cli/command.h"

static const char *const exit_lines[][2] = {
	{ "0", "done" },
	{ "1", "failed" },
	{ "2", "wrong usage" },
	{ "3", "done, but the result is incomplete; its last line says what is missing" },
	{ "4", "no permission" },
	{ "5", "not supported here, or the flt module is not loaded" },
};

#define EXIT_LINES (sizeof(exit_lines) / sizeof(exit_lines[0]))

/* Words broken at width, every line indented; the first continues at column. */
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

void flt_manual_overview(FILE *out)
{
	size_t i;

	fputs("Usage: fltctl COMMAND [options]\n\n"
	      "Shows where memory costs time: every page fault, counted exactly.\n\n"
	      "Commands:\n", out);
	for (i = 0; flt_commands[i]; i++)
		fprintf(out, "  %-10s %s\n", flt_commands[i]->name, flt_commands[i]->summary);
	fputs("\n'fltctl help COMMAND' says more; 'fltctl --version' names the version.\n", out);
}

/* "PID,..." or, for a choice without a name of its own, "kind|process". */
static void write_arg(char *text, size_t size, const struct flt_opt *opt)
{
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

static void help_option(FILE *out, const struct flt_opt *opt)
{
	char left[96], arg[64];
	int n;

	write_arg(arg, sizeof(arg), opt);
	n = opt->letter ? snprintf(left, sizeof(left), "  -%c, --%s", opt->letter, opt->name) :
			  snprintf(left, sizeof(left), "      --%s", opt->name);
	if (flt_opt_takes_value(opt))
		n += snprintf(left + n, sizeof(left) - (size_t)n, "=%s", arg);
	n = fprintf(out, "%s", left);
	if (n > 27) {
		putc('\n', out);
		n = 0;
	}
	put_wrapped(out, opt->help, 28, n, 80);
}

void flt_manual_help(FILE *out, const struct flt_command *command)
{
	const char *const *line;
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
	for (size_t i = 0; i < EXIT_LINES; i++)
		fprintf(out, "  %s  %s\n", exit_lines[i][0], exit_lines[i][1]);
}

/* Backslashes, and the characters troff takes for requests at the start of a line. */
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

static void page_option(FILE *out, const struct flt_opt *opt)
{
	char arg[64];

	fputs(".TP\n", out);
	if (opt->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", opt->letter);
	fputs("\\fB\\-\\-", out);
	put_roff(out, opt->name);
	fputs("\\fR", out);
	if (flt_opt_takes_value(opt)) {
		write_arg(arg, sizeof(arg), opt);
		fputs("=\\fI", out);
		put_roff(out, arg);
		fputs("\\fR", out);
	}
	putc('\n', out);
	put_roff(out, opt->help);
	putc('\n', out);
}

static void page_overview(FILE *out)
{
	size_t i;

	fputs(".TH FLTCTL 8 \"\" \"flt " FLT_VERSION "\" \"flt\"\n"
	      ".SH NAME\nfltctl \\- exact page fault accounts\n"
	      ".SH SYNOPSIS\n\\fBfltctl\\fR \\fICOMMAND\\fR [options]\n"
	      ".SH COMMANDS\n", out);
	for (i = 0; flt_commands[i]; i++) {
		fprintf(out, ".TP\n\\fB%s\\fR\n", flt_commands[i]->name);
		put_roff(out, flt_commands[i]->summary);
		putc('\n', out);
	}
}

static void page_exit_status(FILE *out)
{
	size_t i;

	fputs(".SH EXIT STATUS\n", out);
	for (i = 0; i < EXIT_LINES; i++) {
		fprintf(out, ".TP\n\\fB%s\\fR\n", exit_lines[i][0]);
		put_roff(out, exit_lines[i][1]);
		putc('\n', out);
	}
}

void flt_manual_page(FILE *out, const struct flt_command *command)
{
	const char *const *line;
	const struct flt_opt *opt;
	size_t i;

	if (!command) {
		page_overview(out);
		page_exit_status(out);
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
	page_exit_status(out);
}

static void bash_words(FILE *out, const struct flt_command *command)
{
	const struct flt_opt *opt;

	for (opt = command->opts; opt && opt->name; opt++) {
		if (opt->letter)
			fprintf(out, "-%c ", opt->letter);
		fprintf(out, "--%s%s ", opt->name, flt_opt_takes_value(opt) ? "=" : "");
	}
	fputs("-h --help", out);
}

/* The cases in which the word before asks for a certain kind of value. */
static void bash_values(FILE *out, const struct flt_command *command)
{
	const struct flt_opt *opt;
	size_t i;

	for (opt = command->opts; opt && opt->name; opt++) {
		if (opt->type != FLT_OPT_CHOICE && opt->type != FLT_OPT_FILE &&
		    opt->type != FLT_OPT_IDS)
			continue;
		fprintf(out, "\t%s:--%s", command->name, opt->name);
		if (opt->letter)
			fprintf(out, " | %s:-%c", command->name, opt->letter);
		fputs(")\n\t\t", out);
		if (opt->type == FLT_OPT_FILE) {
			fputs("mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n", out);
		} else if (opt->type == FLT_OPT_IDS) {
			fputs("mapfile -t COMPREPLY < <(compgen -W \"$(cd /proc && "
			      "printf '%s ' [0-9]*)\" -- \"$cur\")\n", out);
		} else {
			fputs("mapfile -t COMPREPLY < <(compgen -W '", out);
			for (i = 0; opt->choices[i]; i++)
				fprintf(out, "%s%s", i ? " " : "", opt->choices[i]);
			fputs("' -- \"$cur\")\n", out);
		}
		fputs("\t\treturn\n\t\t;;\n", out);
	}
}

void flt_manual_bash(FILE *out)
{
	size_t i;

	fputs("# bash completion for fltctl, made from its option tables\n"
	      "_fltctl() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
	      "command=${COMP_WORDS[1]} words= i\n"
	      "\tif [[ $cur == '=' ]]; then cur=; "
	      "elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [[ $COMP_CWORD -eq 1 ]]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W '", out);
	for (i = 0; flt_commands[i]; i++)
		fprintf(out, "%s ", flt_commands[i]->name);
	fputs("--help --version' -- \"$cur\")\n\t\treturn\n\tfi\n"
	      "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	      "\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then\n"
	      "\t\t\tif declare -F _command_offset >/dev/null; then "
	      "_command_offset $((i + 1)); fi\n"
	      "\t\t\treturn\n\t\tfi\n\tdone\n"
	      "\tcase $command:$prev in\n", out);
	for (i = 0; flt_commands[i]; i++)
		bash_values(out, flt_commands[i]);
	fputs("\tesac\n\tcase $command in\n", out);
	for (i = 0; flt_commands[i]; i++) {
		fprintf(out, "\t%s) words='", flt_commands[i]->name);
		bash_words(out, flt_commands[i]);
		fputs("' ;;\n", out);
	}
	fputs("\tesac\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	      "\tif [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi\n"
	      "}\n"
	      "complete -F _fltctl fltctl\n", out);
}

/* Inside '...' of a shell, with ":" and brackets as zsh's _arguments wants them. */
static void put_quoted(FILE *out, const char *text, bool zsh)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(zsh ? "'\\''" : "\\'", out);
		else if (zsh && strchr("[]:\\", *text))
			fprintf(out, "\\%c", *text);
		else if (!zsh && *text == '\\')
			fputs("\\\\", out);
		else
			putc(*text, out);
	}
}

static void zsh_option(FILE *out, const struct flt_opt *opt)
{
	bool value = flt_opt_takes_value(opt);
	char arg[64];
	size_t i;

	write_arg(arg, sizeof(arg), opt);
	fputs("\t\t\t", out);
	if (opt->letter)
		fprintf(out, "{-%c%s,--%s%s}", opt->letter, value ? "+" : "", opt->name,
			value ? "=" : "");
	else
		fprintf(out, "--%s%s", opt->name, value ? "=" : "");
	fputs("'[", out);
	put_quoted(out, opt->help, true);
	fputs("]", out);
	if (value) {
		putc(':', out);
		put_quoted(out, arg, true);
		putc(':', out);
		if (opt->type == FLT_OPT_FILE)
			fputs("_files", out);
		else if (opt->type == FLT_OPT_IDS)
			fputs("_pids", out);
		for (i = 0; opt->type == FLT_OPT_CHOICE && opt->choices[i]; i++)
			fprintf(out, "%s%s", i ? " " : "(", opt->choices[i]);
		if (opt->type == FLT_OPT_CHOICE)
			putc(')', out);
	}
	fputs("' \\\n", out);
}

void flt_manual_zsh(FILE *out)
{
	const struct flt_opt *opt;
	size_t i;

	fputs("#compdef fltctl\n# zsh completion for fltctl, made from its option tables\n"
	      "_fltctl() {\n"
	      "\tif ((CURRENT == 2)); then\n\t\tlocal -a commands=(\n", out);
	for (i = 0; flt_commands[i]; i++) {
		fprintf(out, "\t\t\t'%s:", flt_commands[i]->name);
		put_quoted(out, flt_commands[i]->summary, true);
		fputs("'\n", out);
	}
	fputs("\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\tlocal command=$words[2]\n\tshift words\n\t((CURRENT--))\n"
	      "\tcase $command in\n", out);
	for (i = 0; flt_commands[i]; i++) {
		fprintf(out, "\t%s)\n\t\t_arguments -s \\\n", flt_commands[i]->name);
		for (opt = flt_commands[i]->opts; opt && opt->name; opt++)
			zsh_option(out, opt);
		fputs("\t\t\t{-h,--help}'[help]' '*::word:_normal'\n\t\t;;\n", out);
	}
	fputs("\tesac\n}\n_fltctl \"$@\"\n", out);
}

void flt_manual_fish(FILE *out)
{
	const struct flt_opt *opt;
	size_t i, k;

	fputs("# fish completion for fltctl, made from its option tables\n"
	      "complete -c fltctl -f\n", out);
	for (i = 0; flt_commands[i]; i++) {
		fprintf(out, "complete -c fltctl -n __fish_use_subcommand -a %s -d '",
			flt_commands[i]->name);
		put_quoted(out, flt_commands[i]->summary, false);
		fputs("'\n", out);
	}
	for (i = 0; flt_commands[i]; i++) {
		for (opt = flt_commands[i]->opts; opt && opt->name; opt++) {
			fprintf(out, "complete -c fltctl -n '__fish_seen_subcommand_from %s' -l %s",
				flt_commands[i]->name, opt->name);
			if (opt->letter)
				fprintf(out, " -s %c", opt->letter);
			if (opt->type == FLT_OPT_FILE)
				fputs(" -r -F", out);
			else if (flt_opt_takes_value(opt))
				fputs(" -x", out);
			if (opt->type == FLT_OPT_IDS)
				fputs(" -a '(__fish_complete_pids)'", out);
			if (opt->type == FLT_OPT_CHOICE) {
				fputs(" -a '", out);
				for (k = 0; opt->choices[k]; k++)
					fprintf(out, "%s%s", k ? " " : "", opt->choices[k]);
				putc('\'', out);
			}
			fputs(" -d '", out);
			put_quoted(out, opt->help, false);
			fputs("'\n", out);
		}
	}
	fputs("complete -c fltctl -s h -l help -d help\n", out);
}
