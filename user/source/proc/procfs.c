// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PID_BITS 22	/* PID_MAX_LIMIT is 2^22 */
#define PF_EXITING 4	/* include/linux/sched.h */

/* Field numbers of proc(5), from 1. */
enum { FIELD_STATE = 3, FIELD_MIN_FLT = 10, FIELD_MAJ_FLT = 12, FIELD_THREADS = 20,
       FIELD_START = 22 };

int flt_procfs_parse_stat(const char *text, size_t length, long ticks_per_second,
			  struct flt_row *out)
{
	uint64_t fields[FIELD_START + 1] = { 0 };
	const char *open, *close, *s;
	char *end;
	size_t n;
	int i;

	/* The name may contain parentheses and newlines; the last parenthesis ends the name. */
	open = memchr(text, '(', length);
	close = memrchr(text, ')', length);
	if (!open || !close || close < open || text[length] ||
	    memchr(close, '\0', length - (size_t)(close - text)))
		return -EBADMSG;
	if (!isdigit((unsigned char)text[0]))
		return -EBADMSG;

	*out = (struct flt_row){ .whole = true };
	out->tgid = (uint32_t)strtoul(text, NULL, 10);
	n = (size_t)(close - open - 1);
	if (n > FLT_COMM_LEN)
		n = FLT_COMM_LEN;
	memcpy(out->comm, open + 1, n);

	if (close[1] != ' ' || !close[2])
		return -EBADMSG;
	out->ended = close[2] == 'Z' || close[2] == 'X';
	s = close + 3;
	for (i = FIELD_STATE + 1; i <= FIELD_START; i++) {
		errno = 0;
		fields[i] = strtoull(s, &end, 10);
		if (end == s || errno)
			return -EBADMSG;
		s = end;
	}
	out->account.minor = fields[FIELD_MIN_FLT];
	out->account.major = fields[FIELD_MAJ_FLT];
	out->threads = (uint32_t)fields[FIELD_THREADS];
	if (fields[FIELD_START] > UINT64_MAX >> 30)
		return -EBADMSG;
	out->start = fields[FIELD_START] * (1000000000ull / (uint64_t)ticks_per_second);
	out->id = fields[FIELD_START] << PID_BITS | (out->tgid & ((1u << PID_BITS) - 1));
	return 0;
}

static int read_file(const char *path, char *text, size_t size)
{
	ssize_t n = 0;
	size_t used = 0;
	int fd, err = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (used < size - 1) {
		n = read(fd, text + used, size - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	if (n < 0)
		err = -errno;
	close(fd);
	text[used] = '\0';
	return err ? err : (int)used;
}

int flt_procfs_row(uint32_t tgid, uint32_t tid, struct flt_row *out)
{
	char path[64], text[1024];
	int ret;

	if (tid)
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/stat", tgid, tid);
	else
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", tgid);
	ret = read_file(path, text, sizeof(text));
	if (ret == -ENOENT || ret == -ESRCH || !ret)
		return -ESRCH;
	if (ret < 0)
		return ret;
	ret = flt_procfs_parse_stat(text, (size_t)ret, sysconf(_SC_CLK_TCK), out);
	if (!ret && tid) {
		out->tgid = tgid;
		out->tid = tid;
	}
	return ret;
}

/*
 * Read the status of a process. Return false if the process does not exist. text is "" if it cannot
 * be read for lack of descriptors or memory, which tells nothing about the process.
 */
static bool read_status(uint32_t tgid, char *text, size_t size)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", tgid);
	ret = read_file(path, text, size);
	if (ret > 0)
		return true;
	text[0] = '\0';
	return ret == -EMFILE || ret == -ENFILE || ret == -ENOMEM;
}

static bool is_dead(const char *status)
{
	return strstr(status, "\nState:\tZ") || strstr(status, "\nState:\tX");
}

bool flt_procfs_ends(uint32_t tgid)
{
	uint64_t pending = 0, shared = 0;
	unsigned int threads = 0;
	char text[4096];
	const char *line;

	if (!read_status(tgid, text, sizeof(text)) || is_dead(text))
		return true;
	line = strstr(text, "\nSigPnd:");
	if (line)
		sscanf(line, "\nSigPnd: %" SCNx64 " ShdPnd: %" SCNx64, &pending, &shared);
	if ((pending | shared) >> (SIGKILL - 1) & 1)
		return true;
	/* No memory. The first of several threads may have ended alone. */
	line = strstr(text, "\nThreads:");
	return line && sscanf(line, "\nThreads: %u", &threads) == 1 && threads == 1 &&
	       !strstr(text, "\nVmSize:");
}

bool flt_procfs_ended(uint32_t tgid)
{
	char text[4096];

	if (!read_status(tgid, text, sizeof(text)))
		return true;
	/* The first of several threads may have ended alone. */
	return is_dead(text) && strstr(text, "\nThreads:\t1\n");
}

bool flt_procfs_survives(uint32_t tgid, uint32_t tid)
{
	uint64_t pending = 0, flags = 0;
	char path[64], text[4096];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/status", tgid, tid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return false;
	line = strstr(text, "\nSigPnd:");
	if (line)
		sscanf(line, "\nSigPnd: %" SCNx64, &pending);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/stat", tgid, tid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return false;
	/* The name may have line breaks and parentheses. */
	line = strrchr(text, ')');
	if (!line || sscanf(line, ") %*c %*d %*d %*d %*d %*d %" SCNu64, &flags) != 1)
		return false;
	return !(flags & PF_EXITING) && !(pending >> (SIGKILL - 1) & 1);
}

unsigned int flt_procfs_filters(uint32_t tgid)
{
	char path[64], text[4096];
	unsigned int n = 0;
	const char *line;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", tgid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return 0;
	line = strstr(text, "\nSeccomp_filters:");	/* 5.9 */
	if (!line)
		line = strstr(text, "\nSeccomp:");
	return line && sscanf(line, "\n%*[^:]: %u", &n) == 1 ? n : 0;
}

uint32_t flt_procfs_number_of(uint32_t tgid, uint32_t tid)
{
	char path[64], text[1024], *line, *end;
	unsigned long number = 0, next;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/status", tgid, tid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return 0;
	/* One number for each namespace, from that of /proc to that of the thread. */
	line = strstr(text, "\nNSpid:");
	for (line = line ? line + strlen("\nNSpid:") : NULL; line && *line == '\t'; line = end) {
		next = strtoul(line, &end, 10);
		if (end == line)
			break;
		number = next;
	}
	return (uint32_t)number;
}

int flt_procfs_process_of(uint32_t id, uint32_t *tgid)
{
	char path[64], text[1024], *line;
	int ret;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", id);
	ret = read_file(path, text, sizeof(text));
	if (ret < 0)
		return ret == -ENOENT ? -ESRCH : ret;
	/* The name precedes this field; the kernel escapes a newline in the name. */
	line = strstr(text, "\nTgid:");
	if (!line || sscanf(line, "\nTgid: %" SCNu32, tgid) != 1)
		return -EBADMSG;
	return 0;
}

int flt_procfs_each(uint32_t tgid, int (*fn)(void *arg, uint32_t id), void *arg)
{
	struct dirent *entry;
	char path[64] = "/proc";
	DIR *dir;
	int ret = 0;

	if (tgid)
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", tgid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!ret && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			ret = fn(arg, (uint32_t)strtoul(entry->d_name, NULL, 10));
	closedir(dir);
	return ret;
}

struct children_of {
	uint32_t tgid;
	int (*fn)(void *arg, uint32_t id);
	void *arg;
};

/* A child belongs to the thread that forked it. */
static int each_child(void *arg, uint32_t tid)
{
	const struct children_of *of = arg;
	char path[64];
	uint32_t id;
	FILE *file;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/children", of->tgid, tid);
	file = fopen(path, "re");
	/* The thread ended after the directory was read. */
	if (!file)
		return 0;
	while (!ret && fscanf(file, "%" SCNu32, &id) == 1)
		ret = of->fn(of->arg, id);
	fclose(file);
	return ret;
}

int flt_procfs_children(uint32_t tgid, int (*fn)(void *arg, uint32_t id), void *arg)
{
	if (access("/proc/thread-self/children", F_OK))
		return -EOPNOTSUPP;
	return flt_procfs_each(tgid, each_child, &(struct children_of){ tgid, fn, arg });
}

struct rows_of {
	struct flt_rows *out;
	uint32_t tgid;		/* 0: every process */
};

static int add_row(void *arg, uint32_t id)
{
	struct rows_of *of = arg;
	struct flt_row row;
	int ret = of->tgid ? flt_procfs_row(of->tgid, id, &row) : flt_procfs_row(id, 0, &row);

	/* The thread ended after the directory was read. */
	if (ret == -ESRCH)
		return 0;
	return ret ? ret : flt_rows_add(of->out, &row);
}

int flt_procfs_rows(struct flt_rows *out)
{
	out->count = 0;
	return flt_procfs_each(0, add_row, &(struct rows_of){ out, 0 });
}

int flt_procfs_threads(uint32_t tgid, struct flt_rows *out)
{
	out->count = 0;
	return flt_procfs_each(tgid, add_row, &(struct rows_of){ out, tgid });
}

int flt_procfs_vmstat(const char *const *names, uint64_t *out, size_t count)
{
	char line[128], name[64];
	uint64_t value;
	FILE *file;
	size_t i;

	for (i = 0; i < count; i++)
		out[i] = FLT_PROCFS_UNKNOWN;
	file = fopen("/proc/vmstat", "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %" SCNu64, name, &value) != 2)
			continue;
		for (i = 0; i < count; i++)
			if (!strcmp(name, names[i]))
				out[i] = value;
	}
	fclose(file);
	return 0;
}

int flt_procfs_machine(struct flt_account *out)
{
	static const char *const names[] = { "pgfault", "pgmajfault" };
	uint64_t n[2];
	int ret = flt_procfs_vmstat(names, n, 2);

	if (ret)
		return ret;
	if (n[0] == FLT_PROCFS_UNKNOWN || n[1] == FLT_PROCFS_UNKNOWN)
		return -EOPNOTSUPP;
	*out = (struct flt_account){ .minor = n[0] > n[1] ? n[0] - n[1] : 0, .major = n[1] };
	return 0;
}

int flt_procfs_file_at(uint32_t tgid, uint64_t address, char *out, size_t size)
{
	char path[32], *line = NULL, *newline;
	size_t room = 0;
	uint64_t start, end;
	int name, ret = -ENOENT;
	FILE *maps;

	*out = '\0';
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", tgid);
	maps = fopen(path, "re");
	if (!maps)
		return -errno;
	while (getline(&line, &room, maps) > 0) {
		name = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &start, &end,
			   &name) < 2 || address < start || address >= end)
			continue;
		newline = strchr(line, '\n');
		if (newline)
			*newline = '\0';
		snprintf(out, size, "%s", name ? line + name : "");
		ret = 0;
		break;
	}
	free(line);
	fclose(maps);
	return ret;
}

/* Return the rest of the first line that begins with key. */
static int line_after(const char *path, const char *key, char *out, size_t size)
{
	char *line = NULL;
	size_t room = 0, n = strlen(key);
	int ret = -ENOENT;
	FILE *file = fopen(path, "re");

	if (!file)
		return -errno;
	while (ret && getline(&line, &room, file) > 0) {
		if (strncmp(line, key, n) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(out, size, "%s", line + n);
		ret = 0;
	}
	free(line);
	fclose(file);
	return ret;
}

int flt_procfs_memory(uint32_t tgid, uint32_t tid, uint64_t *rss, uint64_t *read)
{
	char path[64], text[64];
	char *end;
	int ret;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/statm", tgid);
	ret = line_after(path, "", text, sizeof(text));
	if (ret)
		return ret;
	strtoull(text, &end, 10);
	*rss = strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
	if (tid)
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/io", tgid, tid);
	else
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/io", tgid);
	*read = line_after(path, "read_bytes: ", text, sizeof(text)) ? FLT_PROCFS_UNKNOWN :
								       strtoull(text, NULL, 10);
	return 0;
}

int flt_procfs_cgroup(uint32_t tgid, char *out, size_t size)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cgroup", tgid);
	ret = line_after(path, "0::", out, size);
	return ret == -ENOENT ? line_after(path, "", out, size) : ret;
}
