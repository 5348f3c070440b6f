// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/output.h"

#include <errno.h>
#include <string.h>

int output_open(FILE **out, const struct flt_command *command, const char *path)
{
	*out = path ? fopen(path, "we") : stdout;
	if (*out)
		return 0;
	flt_command_say(command, "cannot write %s: %s", path, strerror(errno));
	return FLT_EXIT_FAILED;
}

bool output_failed(FILE *out, int *error)
{
	if (!ferror(out))
		return false;
	if (!*error)
		*error = errno ? errno : EIO;
	return true;
}

int output_close(FILE *out, const struct flt_command *command, const char *path, int error,
		 int status)
{
	if (!out || out == stdout)
		return status;
	if (!error && ferror(out))
		error = EIO;
	if (fclose(out) && !error)
		error = errno;
	if (!error)
		return status;
	flt_command_say(command, "cannot write %s: %s", path, strerror(error));
	return status ? status : FLT_EXIT_FAILED;
}
