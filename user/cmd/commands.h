/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - every command of fltctl. A new command adds a line here and in commands.c. */
#ifndef FLT_CMD_COMMANDS_H
#define FLT_CMD_COMMANDS_H

#include "cli/command.h"

/* NULL-terminated. */
extern const struct flt_command *const flt_commands[];

/* Return the command of that name, or NULL. */
const struct flt_command *flt_command_find(const char *name);

extern const struct flt_command flt_command_check;
extern const struct flt_command flt_command_expect;
extern const struct flt_command flt_command_export;
extern const struct flt_command flt_command_help;
extern const struct flt_command flt_command_lat;
extern const struct flt_command flt_command_map;
extern const struct flt_command flt_command_rss;
extern const struct flt_command flt_command_numa;
extern const struct flt_command flt_command_record;
extern const struct flt_command flt_command_report;
extern const struct flt_command flt_command_script;
extern const struct flt_command flt_command_stats;
extern const struct flt_command flt_command_thp;
extern const struct flt_command flt_command_top;
extern const struct flt_command flt_command_trace;
extern const struct flt_command flt_command_visualize;
extern const struct flt_command flt_command_wss;

#endif
