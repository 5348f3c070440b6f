// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "text/escape.h"

const char *const flt_exit_texts[FLT_EXIT_STATUSES] = {
	[FLT_EXIT_DONE] = "done",
	[FLT_EXIT_FAILED] = "failed",
	[FLT_EXIT_USAGE] = "wrong usage",
	[FLT_EXIT_INCOMPLETE] = "done, but the result is incomplete; its last line says what is "
				"missing",
	[FLT_EXIT_PERMISSION] = "no permission",
	[FLT_EXIT_UNSUPPORTED] = "not supported here, or the flt module is not loaded",
};

static void say(const struct flt_command *command, const char *fmt, va_list ap)
{
	char line[1024], shown[2048];

	vsnprintf(line, sizeof(line), fmt, ap);
	flt_escape_text(shown, sizeof(shown), line, strlen(line));
	fprintf(stderr, "fltctl%s%s: %s\n", command ? " " : "", command ? command->name : "",
		shown);
}

void flt_command_say(const struct flt_command *command, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(command, fmt, ap);
	va_end(ap);
}

int flt_exit_of(int err)
{
	switch (-err) {
	case 0:
		return FLT_EXIT_DONE;
	case EPERM:
	case EACCES:
		return FLT_EXIT_PERMISSION;
	case EOPNOTSUPP:
	case ENOSYS:
	case EPROTO:
		return FLT_EXIT_UNSUPPORTED;
	default:
		return FLT_EXIT_FAILED;
	}
}

int flt_command_fail(const struct flt_command *command, const struct flt_errmsg *e, int err)
{
	flt_command_say(command, "%s", flt_errmsg_text(e, err));
	return flt_exit_of(err);
}

void flt_command_fall_back(const struct flt_command *command, const char *why, const char *other,
			   const char *missing)
{
	flt_command_say(command, "%s", why);
	if (missing)
		flt_command_say(command, "using %s instead, without %s", other, missing);
	else
		flt_command_say(command, "using %s instead", other);
}

int flt_command_misuse(const struct flt_command *command, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(command, fmt, ap);
	va_end(ap);
	fprintf(stderr, "Try 'fltctl %s --help'.\n", command->name);
	return FLT_EXIT_USAGE;
}
