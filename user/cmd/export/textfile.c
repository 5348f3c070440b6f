// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/export/export.h"

static int write_all(int fd, const char *text, size_t length)
{
	ssize_t n;

	while (length) {
		n = write(fd, text, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

/*
 * Write a new file beside the old one, then rename it, so that a reader never sees a part. The
 * collector of node_exporter reads only files that end in .prom, which the new one does not.
 */
static int replace(const char *path, const char *text, size_t length)
{
	char *other;
	int fd, ret;

	if (asprintf(&other, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(other, O_CLOEXEC);
	ret = fd < 0 ? -errno : write_all(fd, text, length);
	/* node_exporter runs as another user. */
	if (fd >= 0 && !ret && fchmod(fd, 0644))
		ret = -errno;
	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(other, path))
		ret = -errno;
	if (ret && fd >= 0)
		unlink(other);
	free(other);
	return ret;
}

/* The file is replaced, so a device or a pipe would be lost. */
static int check_path(const char *path, struct flt_errmsg *e)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return flt_errmsg_set(e, -EINVAL, "cannot replace %s: it is not a file (give the "
				      "name of a file in the directory of node_exporter)", path);
	return 0;
}

static int write_once(struct export *x, struct flt_errmsg *e)
{
	struct flt_metrics m = { 0 };
	int ret = export_collect(x);

	if (!ret)
		ret = export_write(x, &m, FLT_METRICS_TEXT);
	if (!ret)
		ret = replace(x->args->textfile, m.text.text, m.text.used);
	flt_buffer_free(&m.text);
	return ret ? flt_errmsg_errno(e, ret, "cannot write %s", x->args->textfile) : 0;
}

struct writer {
	struct export *x;
	struct flt_loop *loop;
	int failed;		/* result of the last write */
	struct flt_errmsg e;
};

/* A full disk or an unloaded module may be a matter of minutes. Say each new error once. */
static int on_interval(void *arg)
{
	struct writer *w = arg;
	int ret = write_once(w->x, &w->e);

	if (ret && ret != w->failed)
		flt_command_say(w->x->command, "%s; trying again at each interval",
				flt_errmsg_text(&w->e, ret));
	else if (!ret && w->failed)
		flt_command_say(w->x->command, "writing %s again", w->x->args->textfile);
	w->failed = ret;
	w->e = (struct flt_errmsg){ "" };
	return 0;
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct writer *w = arg;

	(void)info;
	flt_loop_stop(w->loop);
	return 0;
}

int export_textfile(struct export *x, uint64_t interval)
{
	struct writer w = { .x = x };
	sigset_t signals;
	int ret = flt_loop_new(&w.loop);

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	if (!ret)
		ret = flt_loop_signals(w.loop, &signals, NULL, on_signal, &w);
	if (!ret)
		ret = check_path(x->args->textfile, &w.e);
	if (!ret)
		ret = write_once(x, &w.e);
	if (!ret && interval)
		ret = flt_loop_every(w.loop, interval, on_interval, &w);
	if (!ret && interval)
		ret = flt_loop_run(w.loop);
	flt_loop_free(w.loop);
	if (ret)
		return flt_command_fail(x->command, &w.e, ret);
	/* A single file has flt_up 0 then, and export_collect() said why. */
	return interval || x->control ? FLT_EXIT_DONE : FLT_EXIT_FAILED;
}
