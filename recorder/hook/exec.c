// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec.c - report programs that the recorder cannot follow, before they run.
 *
 * This code may run between vfork and exec, in the parent's memory and on its stack, and in
 * signal handlers. So it allocates on the stack only and takes no lock.
 */
#include "environment.h"
#include "image/decimal.h"
#include "image/image.h"
#include "image/socket.h"
#include "program.h"
#include "range.h"
#include "recent.h"

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

typedef int exec_fn(const char *, char *const *, char *const *);
typedef int exec_fd_fn(int, char *const *, char *const *);
typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *,
		     const posix_spawnattr_t *, char *const *, char *const *);

static exec_fn *next_execvpe;
static exec_fd_fn *next_fexecve;
static spawn_fn *next_spawn, *next_spawnp;

/*
 * Look up libc's functions when the library is loaded. Their first call may be too late,
 * because between fork and exec the locks of other threads are never released.
 */
__attribute__((constructor(102))) static void find_next(void)
{
	next_execvpe = (exec_fn *)dlsym(RTLD_NEXT, "execvpe");
	next_fexecve = (exec_fd_fn *)dlsym(RTLD_NEXT, "fexecve");
	next_spawn = (spawn_fn *)dlsym(RTLD_NEXT, "posix_spawn");
	next_spawnp = (spawn_fn *)dlsym(RTLD_NEXT, "posix_spawnp");
}

/*
 * Under a seccomp filter the next image gets no recorder, and this one must not connect to
 * fltctl. Count the program instead. `failed` corrects the count when it did not run.
 */
static bool is_filtered(void)
{
	if (rec_image.filtered && rec_image_is_ready())
		__atomic_fetch_add(&rec_image.totals->execs_unlimited, 1, __ATOMIC_RELAXED);
	return rec_image.filtered;
}

static int failed(long ret)
{
	if (rec_image.filtered && rec_image_is_ready())
		__atomic_fetch_sub(&rec_image.totals->execs_unlimited, 1, __ATOMIC_RELAXED);
	return (int)rec_range_result(ret);
}

static bool is_executable(const char *path)
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

/*
 * Find a program in PATH. `found` has room for PATH, the name and two more bytes. An empty part
 * of PATH is the working directory.
 */
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
			if (is_executable(found))
				return found;
		}
		if (!*end)
			break;
	}
	return NULL;
}

/*
 * Tell fltctl that a program will run unrecorded. by: process that executes the program, or 0
 * if that process does not exist yet.
 */
static void report(const char *path, const char *why, int by)
{
	char text[sizeof(((struct flt_rec_message *)0)->text)];
	const char *name;
	size_t n;
	int fd;

	if (!rec_image.ready)
		return;
	fd = rec_socket_connect();
	if (fd < 0) {
		/* From another network namespace, for instance. */
		if (rec_image_is_ready())
			__atomic_fetch_add(&rec_image.totals->execs_unlimited, 1,
					   __ATOMIC_RELAXED);
		return;
	}
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	n = strlen(name) < 64 ? strlen(name) : 64;
	memcpy(text, name, n);
	text[n++] = ' ';
	strcpy(text + n, why);
	rec_socket_refuse(fd, by, text);
	sys1(SYS_close, fd);
}

/* Report a program that will run unrecorded. Return true if it must not load the recorder. */
static bool check(const char *path, char *const *env, int by)
{
	struct rec_program p = { .dir = AT_FDCWD, .path = path, .env = env };
	const char *why;

	if (is_filtered())
		return true;
	why = path ? rec_program_obstacle(&p) : NULL;
	if (why)
		report(path, why, by);
	return p.foreign;
}

static bool check_searched(const char *name, char *const *env, bool by_shell, int by)
{
	struct rec_program p = { .dir = AT_FDCWD, .env = env, .by_shell = by_shell };
	const char *why;

	if (is_filtered())
		return true;
	if (!name || strlen(name) >= PATH_MAX)
		return false;
	/* Not more than needed, because a signal stack may be small. */
	p.path = look_up(alloca(strnlen(search_path(), PATH_MAX) + strlen(name) + 2), name);
	why = p.path ? rec_program_obstacle(&p) : NULL;
	if (why)
		report(p.path, why, by);
	return p.foreign;
}

static bool check_at(int dir, const char *path, char *const *env, int flags)
{
	static const char fds[] = "/proc/thread-self/fd/";
	struct rec_program p = {
		.dir = dir, .path = path, .env = env, .flags = flags & AT_SYMLINK_NOFOLLOW,
	};
	char link[sizeof(fds) + 10], name[512];
	const char *why;
	long n;

	/* Other flags may not execute anything. */
	if (is_filtered())
		return true;
	if (!path || flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
		return false;
	p.closes = dir >= 0 && path[0] != '/' && sys2(SYS_fcntl, dir, F_GETFD) & FD_CLOEXEC;
	if (!path[0]) {
		if (dir < 0 || !(flags & AT_EMPTY_PATH))
			return false;
		memcpy(link, fds, sizeof(fds));
		*rec_decimal(link + sizeof(fds) - 1, (uint32_t)dir) = 0;
		p.dir = AT_FDCWD;
		p.path = link;
		p.flags = 0;
	}
	why = rec_program_obstacle(&p);
	if (!why)
		return false;
	if (p.path == link) {
		n = sys4(SYS_readlinkat, AT_FDCWD, link, name, sizeof(name));
		if (n > 0 && n < (long)sizeof(name)) {
			name[n] = 0;
			path = name;
		} else {
			path = "a program";
		}
	}
	report(path, why, (int)sys0(SYS_getpid));
	return p.foreign;
}

/* The environment of a program that must not load the recorder. For the stack of the caller. */
#define WITHOUT(env) rec_environment_without(env, alloca(rec_environment_room(env)))

static int run(const char *path, char *const argv[], char *const env[])
{
	if (check(path, env, (int)sys0(SYS_getpid)))
		env = WITHOUT(env);
	return failed(sys3(SYS_execve, path, argv, env));
}

/* Execute a program of PATH. libc runs a file of unknown format with a shell. */
static int run_searched(const char *file, char *const argv[], char *const env[])
{
	if (check_searched(file, env, true, (int)sys0(SYS_getpid)))
		env = WITHOUT(env);
	return failed(next_execvpe && next_execvpe(file, argv, env) ? -errno : -ENOSYS);
}

/* Collect the arguments of execl() and its like, up to NULL. env: an environment follows. */
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
		return (int)rec_range_result(-E2BIG);
	argv = alloca(((size_t)n + 1) * sizeof(*argv));
	argv[0] = (char *)arg;
	for (i = 1; i <= n; i++)
		argv[i] = va_arg(ap, char *);
	return how(path, argv, env ? va_arg(ap, char *const *) : environ);
}

REC_EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	return run(path, argv, env);
}

REC_EXPORT int execv(const char *path, char *const argv[])
{
	return run(path, argv, environ);
}

REC_EXPORT int execvp(const char *file, char *const argv[])
{
	return run_searched(file, argv, environ);
}

REC_EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
	return run_searched(file, argv, env);
}

REC_EXPORT int execl(const char *path, const char *arg, ...)
{
	va_list ap;
	int ret;

	va_start(ap, arg);
	ret = run_list(run, path, arg, ap, false);
	va_end(ap);
	return ret;
}

REC_EXPORT int execle(const char *path, const char *arg, ...)
{
	va_list ap;
	int ret;

	va_start(ap, arg);
	ret = run_list(run, path, arg, ap, true);
	va_end(ap);
	return ret;
}

REC_EXPORT int execlp(const char *file, const char *arg, ...)
{
	va_list ap;
	int ret;

	va_start(ap, arg);
	ret = run_list(run_searched, file, arg, ap, false);
	va_end(ap);
	return ret;
}

REC_EXPORT int execveat(int dir, const char *path, char *const argv[], char *const env[], int flags)
{
	if (check_at(dir, path, env, flags))
		env = WITHOUT(env);
	return failed(sys5(SYS_execveat, dir, path, argv, env, flags));
}

REC_EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
	if (check_at(fd, "", env, AT_EMPTY_PATH))
		env = WITHOUT(env);
	return failed(next_fexecve && next_fexecve(fd, argv, env) ? -errno : -ENOSYS);
}

REC_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	if (check(path, env, 0))
		env = WITHOUT(env);
	return next_spawn ? next_spawn(pid, path, actions, attr, argv, env) : ENOSYS;
}

REC_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	if (check_searched(file, env, false, 0))
		env = WITHOUT(env);
	return next_spawnp ? next_spawnp(pid, file, actions, attr, argv, env) : ENOSYS;
}
