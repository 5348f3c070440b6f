// SPDX-License-Identifier: GPL-2.0-or-later
#include "limit/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limit/undo.h"

#define PREFIX "limit."
#define LOCK FLT_JOURNAL_DIRECTORY "/lock"
/* Journals are written by root only, but a disk may be damaged. */
#define BYTES_MAX (64u << 10)
#define LINES_MAX 64

struct flt_journal {
	char path[PATH_MAX];
	int fd;
};

int flt_journal_lock(void)
{
	int fd = open(LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX)) {
		if (errno != EINTR) {
			close(fd);
			return -errno;
		}
	}
	return fd;
}

/* Create and lock the file. The caller holds flt_journal_lock(), so nobody sees it unlocked. */
static int create(struct flt_journal *j, struct flt_errmsg *e)
{
	/* O_EXCL: the leftover of an earlier process of the same PID is repaired, not lost. */
	j->fd = open(j->path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (j->fd < 0 && errno == EEXIST)
		return flt_errmsg_set(e, -EEXIST, "cannot create %s: an earlier run left it behind "
				      "(run fltctl check --repair)", j->path);
	if (j->fd < 0 || flock(j->fd, LOCK_EX | LOCK_NB))
		return flt_errmsg_errno(e, -errno, "cannot create %s", j->path);
	return 0;
}

int flt_journal_new(struct flt_journal **out, struct flt_errmsg *e)
{
	struct flt_journal *j;
	int lock, err;

	if (mkdir(FLT_JOURNAL_DIRECTORY, 0700) && errno != EEXIST)
		return flt_errmsg_errno(e, -errno, "cannot create " FLT_JOURNAL_DIRECTORY);
	j = calloc(1, sizeof(*j));
	if (!j)
		return -ENOMEM;
	snprintf(j->path, sizeof(j->path), FLT_JOURNAL_DIRECTORY "/" PREFIX "%d", (int)getpid());
	j->fd = -1;
	lock = flt_journal_lock();
	err = lock < 0 ? flt_errmsg_errno(e, lock, "cannot lock " LOCK) : create(j, e);
	if (lock >= 0)
		close(lock);
	if (err) {
		flt_journal_free(j);
		return err;
	}
	*out = j;
	return 0;
}

void flt_journal_free(struct flt_journal *j)
{
	if (j && j->fd >= 0)
		close(j->fd);
	free(j);
}

static int append(int fd, const char *line, size_t length)
{
	ssize_t n = write(fd, line, length);

	if (n != (ssize_t)length)
		return n < 0 ? -errno : -ENOSPC;
	return fsync(fd) ? -errno : 0;
}

int flt_journal_note(struct flt_journal *j, const char *const *words, struct flt_errmsg *e)
{
	char line[2 * PATH_MAX];
	size_t length = 0, n;
	int err;

	for (; *words; words++) {
		n = strlen(*words);
		if (strpbrk(*words, "\t\n") || length + n + 1 >= sizeof(line))
			return flt_errmsg_set(e, -EINVAL, "invalid name '%s': too long, or with a "
					      "tab or a new line", *words);
		memcpy(line + length, *words, n);
		line[length + n] = words[1] ? '\t' : '\n';
		length += n + 1;
	}
	err = append(j->fd, line, length);
	return err ? flt_errmsg_errno(e, err, "cannot write to %s", j->path) : 0;
}

/* Call fn for each journal whose lock is held (or not held, if !live) until fn returns not 0. */
static int each_journal(bool live, int (*fn)(void *arg, const char *path, int fd), void *arg)
{
	DIR *dir = opendir(FLT_JOURNAL_DIRECTORY);
	const struct dirent *entry;
	char path[PATH_MAX];
	int ret = 0, fd;

	while (dir && !ret && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			continue;
		snprintf(path, sizeof(path), FLT_JOURNAL_DIRECTORY "/%s", entry->d_name);
		fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			continue;
		if (!flock(fd, LOCK_EX | LOCK_NB) != live)
			ret = fn(arg, path, fd);
		close(fd);
	}
	if (dir)
		closedir(dir);
	return ret;
}

static int hand_over(void *arg, const char *path, int fd)
{
	const char *line = arg;

	(void)path;
	/* Without room for the line, try the next journal. */
	return !append(fd, line, strlen(line));
}

/*
 * Undo one line if it is shared, or if it is not. Our own journal is unlocked by now, so
 * each_journal() does not hand the line to ourselves. Return 0 or -errno.
 */
static int undo_line(const char *line, bool shared, struct flt_errmsg *e)
{
	char copy[2 * PATH_MAX], with_end[2 * PATH_MAX];
	struct limit_undo undo;

	snprintf(copy, sizeof(copy), "%s", line);
	if (limit_undo_parse(&undo, copy))
		return 0;	/* cut off while being written: the change was not made */
	if (undo.shared != shared)
		return 0;
	snprintf(with_end, sizeof(with_end), "%s\n", line);
	if (shared && each_journal(true, hand_over, with_end))
		return 0;
	return limit_undo_run(&undo, e);
}

struct undoing {
	char *lines[LINES_MAX];
	bool failed[LINES_MAX];
	size_t count;
	int err;		/* the first one */
	struct flt_errmsg *e;
};

static void undo_lines(struct undoing *u, bool shared)
{
	struct flt_errmsg own;
	size_t i;
	int err;

	for (i = u->count; i; i--) {
		own.text[0] = '\0';
		err = undo_line(u->lines[i - 1], shared, &own);
		u->failed[i - 1] |= err;
		if (err && !u->err && u->e)
			*u->e = own;
		u->err = u->err ? u->err : err;
	}
}

/*
 * Undo all lines of text, the last first, and keep those that failed in fd. Limits go before the
 * swap, which another run may have added to the journal later: to end swapping brings all pages
 * back, and under a limit the kernel would kill processes.
 */
static int undo_text(char *text, int fd, struct flt_errmsg *e)
{
	struct undoing u = { .e = e };
	char *save, *line;
	size_t i;

	for (line = strtok_r(text, "\n", &save); line && u.count < LINES_MAX;
	     line = strtok_r(NULL, "\n", &save))
		u.lines[u.count++] = line;
	undo_lines(&u, false);
	undo_lines(&u, true);
	if (!u.err || ftruncate(fd, 0))
		return u.err;
	for (i = 0; i < u.count; i++) {
		if (!u.failed[i])
			continue;
		u.lines[i][strlen(u.lines[i])] = '\n';	/* strtok_r() had put a NUL here */
		append(fd, u.lines[i], strcspn(u.lines[i], "\n") + 1);
	}
	return u.err;
}

/*
 * Undo the journal of a descriptor. The caller holds flt_journal_lock(), and the lock of this
 * journal if no other process uses it any more.
 */
static int undo(int fd, const char *path, struct flt_errmsg *e)
{
	char *text = malloc(BYTES_MAX);
	int err = -ENOMEM;
	ssize_t n;

	if (!text)
		return -ENOMEM;
	n = pread(fd, text, BYTES_MAX - 2, 0);
	if (n < 0) {
		err = flt_errmsg_errno(e, -errno, "cannot read %s", path);
		goto out;
	}
	text[n] = text[n + 1] = '\0';
	flock(fd, LOCK_UN);
	err = undo_text(text, fd, e);
	if (!err)
		unlink(path);
out:
	free(text);
	return err;
}

int flt_journal_undo(struct flt_journal *j, struct flt_errmsg *e)
{
	int lock = flt_journal_lock(), err;

	if (lock < 0)
		return flt_errmsg_errno(e, lock, "cannot lock " LOCK);
	err = undo(j->fd, j->path, e);
	close(lock);
	return err;
}

struct repair {
	size_t found;
	struct flt_errmsg *e;
	int err;
};

static int repair_one(void *arg, const char *path, int fd)
{
	struct repair *r = arg;
	int err = undo(fd, path, r->err ? NULL : r->e);

	r->found++;
	r->err = r->err ? r->err : err;
	return 0;
}

int flt_journal_repair(size_t *found, struct flt_errmsg *e)
{
	struct repair r = { .e = e };
	int lock;

	*found = 0;
	if (access(FLT_JOURNAL_DIRECTORY, F_OK))
		return 0;
	lock = flt_journal_lock();
	if (lock < 0)
		return flt_errmsg_errno(e, lock, "cannot lock " LOCK);
	each_journal(false, repair_one, &r);
	close(lock);
	*found = r.found;
	return r.err;
}

static int count_one(void *arg, const char *path, int fd)
{
	size_t *n = arg;

	(void)path;
	(void)fd;
	++*n;
	return 0;
}

size_t flt_journal_leftovers(void)
{
	int lock = flt_journal_lock();
	size_t n = 0;

	if (lock < 0)
		return 0;	/* no directory, or not root */
	each_journal(false, count_one, &n);
	close(lock);
	return n;
}
