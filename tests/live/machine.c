// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine.h"

#include "row.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MAX = 64 };

struct number_file {
	char name[64];
	int fd;
	unsigned long long value;
};

struct state {
	struct account all, retired, other, rows;
	uint64_t tally[FLT_TALLY_MAX + 1];
	uint64_t hits, missed_busy, missed_full;
	unsigned long long pgfault, probe, probe_missed;
};

static struct number_file files[FILES_MAX];
static int n_files;
static int vmstat = -1, profile = -1;
static char text[65536];

static void tally_read(const struct nlmsghdr *nlh, void *data)
{
	struct state *s = data;
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	genl_for_each(a, first, bytes) {
		switch (genl_type(a)) {
		case FLT_TALLY_ALL:
			account_read(&s->all, a);
			break;
		case FLT_TALLY_RETIRED:
			account_read(&s->retired, a);
			break;
		case FLT_TALLY_OTHER:
			account_read(&s->other, a);
			break;
		default:
			if (genl_type(a) <= FLT_TALLY_MAX)
				s->tally[genl_type(a)] = genl_number(a);
		}
	}
}

static void proc_read(const struct nlmsghdr *nlh, void *data)
{
	struct state *s = data;
	struct account acc;
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	genl_for_each(a, first, bytes) {
		if (genl_type(a) != FLT_PROC_ACCOUNT)
			continue;
		account_read(&acc, a);
		for (int i = 1; i <= FLT_ACCOUNT_MAX; i++)
			s->rows.value[i] += acc.value[i];
	}
}

static void hook_read(const struct nlmsghdr *nlh, void *data)
{
	struct state *s = data;
	uint64_t hits = 0, busy = 0, full = 0;
	const char *name = "";
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	genl_for_each(a, first, bytes) {
		if (genl_type(a) == FLT_HOOK_NAME)
			name = genl_data(a);
		else if (genl_type(a) == FLT_HOOK_HITS)
			hits = genl_number(a);
		else if (genl_type(a) == FLT_HOOK_MISSED_BUSY)
			busy = genl_number(a);
		else if (genl_type(a) == FLT_HOOK_MISSED_FULL)
			full = genl_number(a);
	}
	/* The probe on return. Another hook is on the same function. */
	if (strcmp(name, "fault"))
		return;
	s->hits = hits;
	s->missed_busy = busy;
	s->missed_full = full;
}

static int talk(struct genl *g, uint8_t cmd, int dump, genl_reply_fn reply, struct state *s)
{
	genl_start(g, g->family, NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK), cmd,
		   FLT_GENL_VERSION);
	return genl_talk(g, reply, s);
}

static const char *file_read(int fd)
{
	ssize_t got = 0, n;

	if (fd < 0 || lseek(fd, 0, SEEK_SET))
		return "";
	while ((n = read(fd, text + got, sizeof(text) - 1 - (size_t)got)) > 0)
		got += n;
	text[got] = 0;
	return text;
}

static void kernel_read(struct state *s)
{
	const char *at = strstr(file_read(vmstat), "\npgfault ");

	if (at)
		s->pgfault = strtoull(at + strlen("\npgfault "), NULL, 10);
	at = strstr(file_read(profile), "calls ");
	if (at) {
		char *end;

		s->probe = strtoull(at + strlen("calls "), &end, 10);
		s->probe_missed = strtoull(end, NULL, 10);
	}
	for (int i = 0; i < n_files; i++)
		files[i].value = strtoull(file_read(files[i].fd), NULL, 10);
}

static void files_open(void)
{
	const char *where = "/sys/kernel/debug/flt";
	DIR *d = opendir(where);
	struct dirent *e;

	vmstat = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
	profile = open("/sys/kernel/tracing/kprobe_profile", O_RDONLY | O_CLOEXEC);
	while (d && (e = readdir(d)) && n_files < FILES_MAX) {
		struct number_file *f = &files[n_files];
		const char *s;

		if (e->d_type == DT_DIR || strlen(e->d_name) >= sizeof(f->name))
			continue;
		strcpy(f->name, e->d_name);
		f->fd = openat(dirfd(d), e->d_name, O_RDONLY | O_CLOEXEC);
		s = file_read(f->fd);
		if (*s >= '0' && *s <= '9' && s[strspn(s, "0123456789")] == '\n' &&
		    !s[strspn(s, "0123456789") + 1])
			n_files++;
		else
			close(f->fd);
	}
	if (d)
		closedir(d);
}

static void files_close(void)
{
	for (int i = 0; i < n_files; i++)
		close(files[i].fd);
	close(vmstat);
	close(profile);
}

/* Return true if no fault was counted or lost between the two states. */
static int same(const struct state *a, const struct state *b)
{
	return !memcmp(a->all.value, b->all.value, sizeof(a->all.value)) &&
	       a->tally[FLT_TALLY_LOST_BUSY] == b->tally[FLT_TALLY_LOST_BUSY] &&
	       a->tally[FLT_TALLY_LOST_FULL] == b->tally[FLT_TALLY_LOST_FULL];
}

/*
 * Return the number of calls that have begun, but not ended. pgfault of Linux 6.1 includes these
 * calls. Equal tallies do not exclude them, because a process may sleep during a call.
 */
static uint64_t in_flight(const struct state *s)
{
	const uint64_t *all = s->all.value;

	return s->hits - all[FLT_ACCOUNT_MINOR] - all[FLT_ACCOUNT_MAJOR] -
	       all[FLT_ACCOUNT_FAILED] - all[FLT_ACCOUNT_RETRIED];
}

static int read_all(struct genl *g, struct state *s)
{
	enum { EMPTY_TRIES = 50 };
	struct timespec pause = { .tv_nsec = 20000000 };
	struct state after;
	int rc;

	for (int i = 0; i < 3000; i++, nanosleep(&pause, NULL)) {
		memset(s, 0, sizeof(*s));
		memset(&after, 0, sizeof(after));
		rc = talk(g, FLT_CMD_TALLY_GET, 0, tally_read, s);
		if (rc)
			return rc;
		kernel_read(s);
		rc = talk(g, FLT_CMD_HOOK_GET, 1, hook_read, s);
		if (rc)
			return rc;
		rc = talk(g, FLT_CMD_PROC_GET, 1, proc_read, s);
		if (rc)
			return rc;
		if (g->interrupted)
			continue;
		rc = talk(g, FLT_CMD_TALLY_GET, 0, tally_read, &after);
		if (rc)
			return rc;
		if (same(s, &after) && (!in_flight(s) || i >= EMPTY_TRIES))
			return 0;
	}
	return -EAGAIN;
}

int machine_print(struct genl *g, FILE *out)
{
	static struct state s;
	static const struct {
		const char *name;
		int attr;
	} numbers[] = {
		{ "failed_oom", FLT_TALLY_FAILED_OOM },
		{ "failed_sigbus", FLT_TALLY_FAILED_SIGBUS },
		{ "failed_sigsegv", FLT_TALLY_FAILED_SIGSEGV },
		{ "failed_hwpoison", FLT_TALLY_FAILED_HWPOISON },
		{ "failed_other", FLT_TALLY_FAILED_OTHER },
		{ "procs_seen", FLT_TALLY_PROCS_SEEN },
		{ "procs_retired", FLT_TALLY_PROCS_RETIRED },
		{ "lost_proc", FLT_TALLY_LOST_PROC },
		{ "lost_task", FLT_TALLY_LOST_TASK },
		{ "lost_busy", FLT_TALLY_LOST_BUSY },
		{ "lost_full", FLT_TALLY_LOST_FULL },
		{ "clock_back", FLT_TALLY_CLOCK_BACK },
	};
	int rc;

	files_open();
	rc = read_all(g, &s);
	files_close();
	if (rc)
		return rc;
	fprintf(out, "machine");
	account_print(out, "all.", &s.all);
	account_print(out, "retired.", &s.retired);
	account_print(out, "other.", &s.other);
	account_print(out, "rows.", &s.rows);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		fprintf(out, " %s=%llu", numbers[i].name,
			(unsigned long long)s.tally[numbers[i].attr]);
	fprintf(out, " hits=%llu missed_busy=%llu missed_full=%llu", (unsigned long long)s.hits,
		(unsigned long long)s.missed_busy, (unsigned long long)s.missed_full);
	fprintf(out, " pgfault=%llu probe=%llu probe_missed=%llu", s.pgfault, s.probe,
		s.probe_missed);
	for (int i = 0; i < n_files; i++)
		fprintf(out, " debugfs.%s=%llu", files[i].name, files[i].value);
	fputc('\n', out);
	return 0;
}
