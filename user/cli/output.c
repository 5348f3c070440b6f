// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *output_hint(int error)
{
	return error == ENOENT ? " (create its directory first)" : "";
}

static int open_failed(const struct flt_command *command, const char *path, int error)
{
	flt_command_say(command, "cannot write %s: %s%s", path, strerror(error),
			output_hint(error));
	return FLT_EXIT_FAILED;
}

static int access_denied(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS) ? errno : 0;
}

/* Return the errno with which creating the file would fail, or 0. */
static int creating_denied(const char *path)
{
	char *copy = strdup(path);
	int error = copy ? access_denied(dirname(copy), W_OK | X_OK) : ENOMEM;

	free(copy);
	return error;
}

int output_denied(const char *path, bool replace)
{
	struct stat st;
	int error;

	if (!*path)
		return ENOENT;
	if (stat(path, &st))
		return errno == ENOENT ? creating_denied(path) : errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	error = access_denied(path, W_OK);
	return error || !replace ? error : creating_denied(path);
}

int output_check(const struct flt_command *command, const char *path)
{
	const int error = path ? output_denied(path, false) : 0;

	return error ? open_failed(command, path, error) : FLT_EXIT_DONE;
}

int output_open(FILE **out, const struct flt_command *command, const char *path)
{
	*out = path ? fopen(path, "we") : stdout;
	return *out ? 0 : open_failed(command, path, errno);
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

int output_redirect(struct output_redirect *r, const struct flt_command *command, const char *path)
{
	int fd, original;

	*r = (struct output_redirect){ 0 };
	if (!path)
		return FLT_EXIT_DONE;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return open_failed(command, path, errno);
	original = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (original < 0 || dup2(fd, STDOUT_FILENO) < 0) {
		flt_command_say(command, "cannot replace standard output: %s", strerror(errno));
		close(fd);
		return FLT_EXIT_FAILED;
	}
	close(fd);
	*r = (struct output_redirect){ .path = path, .original = original };
	return FLT_EXIT_DONE;
}

int output_restore(struct output_redirect *r, const struct flt_command *command, int status)
{
	int error = 0;

	if (!r->original)
		return status;
	if (fflush(stdout) || ferror(stdout))
		error = errno ? errno : EIO;
	/* main() must not report the same error for the original file. */
	clearerr(stdout);
	if (dup2(r->original, STDOUT_FILENO) < 0 && !error)
		error = errno;
	close(r->original);
	r->original = 0;
	if (!error)
		return status;
	flt_command_say(command, "cannot write %s: %s", r->path, strerror(error));
	return status ? status : FLT_EXIT_FAILED;
}
