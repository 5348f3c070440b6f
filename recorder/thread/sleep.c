// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sleep.c - what threads of the program sleep in.
 *
 * A message of a fault alone does not say that its thread sleeps: a signal may have
 * ended that, and its handler may hold a lock and be at work. Where the kernel does
 * not say what a task waits in (it needs the right to trace it), time must tell:
 * nobody holds one of our locks that long awake. So it must in a PID namespace that sees
 * the /proc of another: the numbers we know are not those it has.
 */
#include "decimal.h"
#include "rec.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define LONG_NS 1000000000

static char *append(char *p, const char *text)
{
	while (*text)
		*p++ = *text++;
	return p;
}

static void task_path(char path[64], uint32_t tid, const char *name)
{
	char *p = rec_decimal(append(path, "/proc/"), (uint32_t)rec.pid);

	*append(rec_decimal(append(p, "/task/"), tid), name) = 0;
}

static bool contains(const char *text, size_t n, const char *word)
{
	for (size_t i = 0, k; i < n; i++) {
		for (k = 0; word[k] && i + k < n && text[i + k] == word[k]; k++)
			;
		if (!word[k])
			return true;
	}
	return false;
}

static bool proc_is_ours(void)
{
	char link[16] = "", pid[16];

	*rec_decimal(pid, (uint32_t)sys0(SYS_getpid)) = 0;
	if (sys_failed(sys4(SYS_readlinkat, AT_FDCWD, "/proc/self", link, sizeof(link) - 1)))
		return false;
	for (size_t i = 0; i < sizeof(pid) && link[i] == pid[i]; i++)
		if (!pid[i])
			return true;
	return false;
}

static long read_of(uint32_t tid, const char *name, char *text, size_t room)
{
	char path[64];
	long fd, n;

	task_path(path, tid, name);
	fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	n = sys3(SYS_read, fd, text, room);
	sys1(SYS_close, fd);
	return n;
}

/* Who is allowed to see what a thread sleeps in sees no function of one that does not sleep. */
static bool runs(uint32_t tid)
{
	char text[128];
	long n = read_of(tid, "/stat", text, sizeof(text));

	/* the state comes after the name, which may have anything in it */
	while (n > 2 && text[n - 1] != ')')
		n--;
	return n > 2 && n + 1 < (long)sizeof(text) && text[n + 1] == 'R';
}

bool rec_sleep_in(uint32_t tid, const char *function, uint64_t since)
{
	char text[64] = "";
	long n = -1;

	if (proc_is_ours()) {
		n = read_of(tid, "/wchan", text, sizeof(text));
		if (n > 0 && contains(text, (size_t)n, function))
			return true;
		/* something else: then it is not that */
		if (n > 1 || runs(tid))
			return false;
	}
	return sys_now() - since > LONG_NS;
}

bool rec_sleep_ours(uint32_t tid)
{
	return sys3(SYS_tgkill, rec.pid, tid, 0) != -ESRCH;
}
