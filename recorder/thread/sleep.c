// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sleep.c - read the kernel function in which a thread sleeps: /proc/PID/task/TID/wchan.
 *
 * The message of a fault does not prove that its thread sleeps: a signal may have ended the
 * sleep, and its handler may hold a lock and run. wchan hides the function without the right
 * to trace the thread. Tids are wrong if /proc belongs to another PID namespace. In both cases
 * a thread counts as asleep after one second, because no running thread holds one of the
 * recorder's locks for that long.
 */
#include "sleep.h"

#include "image/clock.h"
#include "image/decimal.h"
#include "image/image.h"
#include "image/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define CERTAIN_NS 1000000000

static char *append(char *p, const char *text)
{
	while (*text)
		*p++ = *text++;
	return p;
}

static void task_path(char path[64], uint32_t tid, const char *name)
{
	char *p = rec_decimal(append(path, "/proc/"), (uint32_t)rec_image.pid);

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

/* Return true if /proc belongs to the PID namespace of this process. */
static bool is_own_proc(void)
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

static long read_file(uint32_t tid, const char *name, char *text, size_t size)
{
	char path[64];

	task_path(path, tid, name);
	return rec_textfile_read(path, text, size);
}

/* Return true if a thread runs. Its wchan is empty then, even if it may be read. */
static bool is_running(uint32_t tid)
{
	char text[128];
	long n = read_file(tid, "/stat", text, sizeof(text));

	/* The state follows the name, which may contain any character. */
	while (n > 2 && text[n - 1] != ')')
		n--;
	return n > 2 && n + 1 < (long)sizeof(text) && text[n + 1] == 'R';
}

bool rec_sleep_in(uint32_t tid, const char *function, uint64_t since)
{
	char text[64] = "";
	long n = -1;

	if (is_own_proc()) {
		n = read_file(tid, "/wchan", text, sizeof(text));
		if (n > 0 && contains(text, (size_t)n, function))
			return true;
		/* It sleeps in something else, or runs. */
		if (n > 1 || is_running(tid))
			return false;
	}
	return rec_now() - since > CERTAIN_NS;
}

bool rec_sleep_is_own_thread(uint32_t tid)
{
	return sys3(SYS_tgkill, rec_image.pid, tid, 0) != -ESRCH;
}
