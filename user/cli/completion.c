// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/completion.h"

#include <stdbool.h>
#include <string.h>

#include "cli/manual.h"

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

/* Print a case for each option whose value can be completed. */
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

void flt_completion_bash(FILE *out, const struct flt_command *const *commands)
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
	for (i = 0; commands[i]; i++)
		fprintf(out, "%s ", commands[i]->name);
	fputs("--help --version' -- \"$cur\")\n\t\treturn\n\tfi\n"
	      "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	      "\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then\n"
	      "\t\t\tif declare -F _command_offset >/dev/null; then "
	      "_command_offset $((i + 1)); fi\n"
	      "\t\t\treturn\n\t\tfi\n\tdone\n"
	      "\tcase $command:$prev in\n", out);
	for (i = 0; commands[i]; i++)
		bash_values(out, commands[i]);
	fputs("\tesac\n\tcase $command in\n", out);
	for (i = 0; commands[i]; i++) {
		fprintf(out, "\t%s) words='", commands[i]->name);
		bash_words(out, commands[i]);
		fputs("' ;;\n", out);
	}
	fputs("\tesac\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	      "\tif [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi\n"
	      "}\n"
	      "complete -F _fltctl fltctl\n", out);
}

/* Quote for '...' of a shell. zsh: also escape ":" and brackets for _arguments. */
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
	char arg[FLT_MANUAL_ARG];
	size_t i;

	flt_manual_arg(arg, opt);
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

void flt_completion_zsh(FILE *out, const struct flt_command *const *commands)
{
	const struct flt_opt *opt;
	size_t i;

	fputs("#compdef fltctl\n# zsh completion for fltctl, made from its option tables\n"
	      "_fltctl() {\n"
	      "\tif ((CURRENT == 2)); then\n\t\tlocal -a commands=(\n", out);
	for (i = 0; commands[i]; i++) {
		fprintf(out, "\t\t\t'%s:", commands[i]->name);
		put_quoted(out, commands[i]->summary, true);
		fputs("'\n", out);
	}
	fputs("\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\tlocal command=$words[2]\n\tshift words\n\t((CURRENT--))\n"
	      "\tcase $command in\n", out);
	for (i = 0; commands[i]; i++) {
		fprintf(out, "\t%s)\n\t\t_arguments -s \\\n", commands[i]->name);
		for (opt = commands[i]->opts; opt && opt->name; opt++)
			zsh_option(out, opt);
		fputs("\t\t\t{-h,--help}'[help]' '*::word:_normal'\n\t\t;;\n", out);
	}
	fputs("\tesac\n}\n_fltctl \"$@\"\n", out);
}

void flt_completion_fish(FILE *out, const struct flt_command *const *commands)
{
	const struct flt_opt *opt;
	size_t i, k;

	fputs("# fish completion for fltctl, made from its option tables\n"
	      "complete -c fltctl -f\n", out);
	for (i = 0; commands[i]; i++) {
		fprintf(out, "complete -c fltctl -n __fish_use_subcommand -a %s -d '",
			commands[i]->name);
		put_quoted(out, commands[i]->summary, false);
		fputs("'\n", out);
	}
	for (i = 0; commands[i]; i++) {
		for (opt = commands[i]->opts; opt && opt->name; opt++) {
			fprintf(out, "complete -c fltctl -n '__fish_seen_subcommand_from %s' -l %s",
				commands[i]->name, opt->name);
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
