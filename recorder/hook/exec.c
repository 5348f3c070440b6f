// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec.c - programs that the recorder cannot follow into are told of before they run.
 *
 * All this may run between vfork and exec, with the parent's memory and stack below it,
 * and in signal handlers: nothing is allocated but on the stack, no lock is taken.
 */
#include "decimal.h"
#include "rec.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef int exec_fn(const char *, char *const *, char *const *);
typedef int exec_fd_fn(int, char *const *, char *const *);
typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
		     char *const *, char *const *);

static exec_fn *next_execvpe;
static exec_fd_fn *next_fexecve;
static spawn_fn *next_spawn, *next_spawnp;

/* Not when they are called: that may be between fork and exec, where others' locks stay taken. */
__attribute__((constructor(102))) static void find_next(void)
{
	next_execvpe = (exec_fn *)dlsym(RTLD_NEXT, "execvpe");
	next_fexecve = (exec_fd_fn *)dlsym(RTLD_NEXT, "fexecve");
	next_spawn = (spawn_fn *)dlsym(RTLD_NEXT, "posix_spawn");
	next_spawnp = (spawn_fn *)dlsym(RTLD_NEXT, "posix_spawnp");
}

static bool runs(const char *path)
{
	struct stat st;

	return !sys3(SYS_faccessat, AT_FDCWD, path, X_OK) &&
	       !sys4(SYS_newfstatat, AT_FDCWD, path, &st, 0) && S_ISREG(st.st_mode);
}

static const char *search_path(void)
{
	const char *path = getenv("PATH");

	return path ? path : "/bin:/usr/bin";
}

/* Where PATH has it, in room for both and two more; an empty part of PATH is the working directory. */
static const char *look_up(char *found, const char *name)
{
	const char *path, *end;
	size_t k;

	if (strchr(name, '/'))
		return name;
	for (path = search_path(); *name; path = end + 1) {
		end = strchrnul(path, ':');
		k = (size_t)(end - path);
		if (k < PATH_MAX) {
			memcpy(found, path, k);
			if (k)
				found[k++] = '/';
			strcpy(found + k, name);
			if (runs(found))
				return found;
		}
		if (!*end)
			break;
	}
	return NULL;
}

/* by: FLT_REC_REFUSED's pid, 0 for a process that is yet to be made. */
static void tell(const char *path, const char *why, int by)
{
	char text[sizeof(((struct flt_rec_message *)0)->text)];
	const char *name;
	size_t n;
	int fd;

	fd = rec_control_connect();
	if (fd < 0)
		return;
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	n = strlen(name) < 64 ? strlen(name) : 64;
	memcpy(text, name, n);
	text[n++] = ' ';
	strcpy(text + n, why);
	rec_control_refuse(fd, by, text);
	sys1(SYS_close, fd);
}

static void foretell(const char *path, char *const *env, int by)
{
	struct rec_program p = { .dir = AT_FDCWD, .path = path, .env = env };
	const char *why;

	if (!rec.ready || !path)
		return;
	why = rec_obstacle(&p);
	if (why)
		tell(path, why, by);
}

static void foretell_searched(const char *name, char *const *env, bool by_shell, int by)
{
	struct rec_program p = { .dir = AT_FDCWD, .env = env, .by_shell = by_shell };
	const char *why;

	if (!rec.ready || !name || strlen(name) >= PATH_MAX)
		return;
	/* no more than it takes: a signal's stack may be small */
	p.path = look_up(alloca(strnlen(search_path(), PATH_MAX) + strlen(name) + 2), name);
	why = p.path ? rec_obstacle(&p) : NULL;
	if (why)
		tell(p.path, why, by);
}

static void foretell_at(int dir, const char *path, char *const *env, int flags)
{
	static const char fds[] = "/proc/thread-self/fd/";
	struct rec_program p = { .dir = dir, .path = path, .env = env, .flags = flags & AT_SYMLINK_NOFOLLOW };
	char link[sizeof(fds) + 10], name[512];
	const char *why;
	long n;

	/* of other flags it is not known that they run anything */
	if (!rec.ready || !path || flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
		return;
	p.closes = dir >= 0 && path[0] != '/' && sys2(SYS_fcntl, dir, F_GETFD) & FD_CLOEXEC;
	if (!path[0]) {
		if (dir < 0 || !(flags & AT_EMPTY_PATH))
			return;
		memcpy(link, fds, sizeof(fds));
		*rec_decimal(link + sizeof(fds) - 1, (uint32_t)dir) = 0;
		p.dir = AT_FDCWD;
		p.path = link;
		p.flags = 0;
	}
	why = rec_obstacle(&p);
	if (!why)
		return;
	if (p.path == link) {
		n = sys4(SYS_readlinkat, AT_FDCWD, link, name, sizeof(name));
		if (n > 0 && n < (long)sizeof(name)) {
			name[n] = 0;
			path = name;
		} else {
			path = "a program";
		}
	}
	tell(path, why, (int)sys0(SYS_getpid));
}

static int failed(long ret)
{
	errno = (int)-ret;
	return -1;
}

static int run(const char *path, char *const argv[], char *const env[])
{
	foretell(path, env, (int)sys0(SYS_getpid));
	return failed(sys3(SYS_execve, path, argv, env));
}

/* Files that are no program are a shell's, of which libc takes care. */
static int run_searched(const char *file, char *const argv[], char *const env[])
{
	foretell_searched(file, env, true, (int)sys0(SYS_getpid));
	return next_execvpe ? next_execvpe(file, argv, env) : failed(-ENOSYS);
}

/* The arguments of execl() and its like, up to the NULL; env: the environment comes after it. */
static int run_list(exec_fn *how, const char *path, const char *arg, va_list ap, bool env)
{
	char **argv, *next;
	va_list again;
	int n = 0, i;

	va_copy(again, ap);
	for (next = (char *)arg; next && n < INT_MAX; n++)
		next = va_arg(again, char *);
	va_end(again);
	if (n == INT_MAX)
		return failed(-E2BIG);
	argv = alloca(((size_t)n + 1) * sizeof(*argv));
	argv[0] = (char *)arg;
	for (i = 1; i <= n; i++)
		argv[i] = va_arg(ap, char *);
	return how(path, argv, env ? va_arg(ap, char *const *) : environ);
}

EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	return run(path, argv, env);
}

EXPORT int execv(const char *path, char *const argv[])
{
	return run(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return run_searched(file, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
	return run_searched(file, argv, env);
}

EXPORT int execl(const char *path, const char *arg, ...)
{
	va_list ap;
	int ret;

	va_start(ap, arg);
	ret = run_list(run, path, arg, ap, false);
	va_end(ap);
	return ret;
}

EXPORT int execle(const char *path, const char *arg, ...)
{
	va_list ap;
	int ret;

	va_start(ap, arg);
	ret = run_list(run, path, arg, ap, true);
	va_end(ap);
	return ret;
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
	va_list ap;
	int ret;

	va_start(ap, arg);
	ret = run_list(run_searched, file, arg, ap, false);
	va_end(ap);
	return ret;
}

EXPORT int execveat(int dir, const char *path, char *const argv[], char *const env[], int flags)
{
	foretell_at(dir, path, env, flags);
	return failed(sys5(SYS_execveat, dir, path, argv, env, flags));
}

EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
	foretell_at(fd, "", env, AT_EMPTY_PATH);
	return next_fexecve ? next_fexecve(fd, argv, env) : failed(-ENOSYS);
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	foretell(path, env, 0);
	return next_spawn ? next_spawn(pid, path, actions, attr, argv, env) : ENOSYS;
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	foretell_searched(file, env, false, 0);
	return next_spawnp ? next_spawnp(pid, file, actions, attr, argv, env) : ENOSYS;
}
