// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands, in the order of the overview. */
#include "cmd/commands.h"

#include <stddef.h>
#include <string.h>

const struct flt_command *const flt_commands[] = {
	&flt_command_check,
	&flt_command_stats,
	&flt_command_top,
	&flt_command_lat,
	&flt_command_trace,
	&flt_command_wss,
	&flt_command_map,
	&flt_command_rss,
	&flt_command_thp,
	&flt_command_numa,
	&flt_command_export,
	&flt_command_record,
	&flt_command_report,
	&flt_command_script,
	&flt_command_expect,
	&flt_command_visualize,
	&flt_command_help,
	NULL,
};

const struct flt_command *flt_command_find(const char *name)
{
	size_t i;

	for (i = 0; flt_commands[i]; i++)
		if (!strcmp(flt_commands[i]->name, name))
			return flt_commands[i];
	return NULL;
}
