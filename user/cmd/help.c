// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/completion.h"
#include "cli/manpage.h"
#include "cli/manual.h"
#include "cmd/commands.h"

struct arguments {
	bool man;
	int shell;
};

enum shell { SHELL_NONE = -1, SHELL_BASH, SHELL_ZSH, SHELL_FISH };

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

static const struct flt_opt opts[] = {
	{ .name = "man", .type = FLT_OPT_FLAG, .offset = offsetof(struct arguments, man),
	  .help = "Write the source of the manual page of the command, or of fltctl." },
	{ .name = "completion", .type = FLT_OPT_CHOICE, .offset = offsetof(struct arguments, shell),
	  .choices = shells, .help = "Write the completion script for this shell." },
	{ 0 },
};

static int help_main(struct flt_run *run)
{
	const struct arguments *args = run->args;
	const struct flt_command *command = NULL;

	if (run->words.command || run->words.argc > 1)
		return flt_command_misuse(run->command, "one command at a time");
	if (args->shell != SHELL_NONE && (run->words.argc || args->man))
		return flt_command_misuse(run->command, "--completion stands alone");
	if (run->words.argc) {
		command = flt_command_find(run->words.argv[0]);
		if (!command)
			return flt_command_misuse(run->command, "unknown command '%s'",
						  run->words.argv[0]);
	}
	if (args->shell == SHELL_BASH)
		flt_completion_bash(stdout, flt_commands);
	else if (args->shell == SHELL_ZSH)
		flt_completion_zsh(stdout, flt_commands);
	else if (args->shell == SHELL_FISH)
		flt_completion_fish(stdout, flt_commands);
	else if (args->man)
		flt_manpage(stdout, command, flt_commands);
	else if (command)
		flt_manual_help(stdout, command);
	else
		flt_manual_overview(stdout, flt_commands);
	return FLT_EXIT_DONE;
}

const struct flt_command flt_command_help = {
	.name = "help",
	.summary = "show help for a command",
	.synopsis = (const char *const[]){ "[COMMAND]", "--man [COMMAND]",
					   "--completion=bash|zsh|fish", NULL },
	.about = (const char *const[]){
		"Prints how to use a command. Manual pages and shell completion are generated "
		"from the same tables.", NULL },
	.opts = opts,
	.defaults = &(const struct arguments){ .shell = SHELL_NONE },
	.args_size = sizeof(struct arguments),
	.main = help_main,
};
