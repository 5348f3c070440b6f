// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec.c - programs that the recorder cannot follow into are told of before they run.
 *
 * Statically linked ones, those that change user or group, and those that get an
 * environment without us never say a word themselves. Whether exec will succeed is not
 * known here; a file that is no program is left for it to refuse. execl() and its like
 * are not looked at.
 */
#include "rec.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef int exec_fn(const char *, char *const *);
typedef int exec_env_fn(const char *, char *const *, char *const *);
typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
		     char *const *, char *const *);

static exec_fn *next_execvp;
static exec_env_fn *next_execvpe;
static spawn_fn *next_spawn, *next_spawnp;

/* Not when they are called: that may be between fork and exec, where others' locks stay taken. */
__attribute__((constructor(102))) static void find_next(void)
{
	next_execvp = (exec_fn *)dlsym(RTLD_NEXT, "execvp");
	next_execvpe = (exec_env_fn *)dlsym(RTLD_NEXT, "execvpe");
	next_spawn = (spawn_fn *)dlsym(RTLD_NEXT, "posix_spawn");
	next_spawnp = (spawn_fn *)dlsym(RTLD_NEXT, "posix_spawnp");
}

static bool names_us(char *const *env)
{
	bool library = false, socket = false;

	for (; env && *env; env++) {
		library |= !strncmp(*env, "LD_PRELOAD=", 11) && strstr(*env, "libfltrec.so");
		socket |= !strncmp(*env, "FLT_RECORD_SOCKET=", 18);
	}
	return library && socket;
}

static bool has_interpreter(long fd, const Elf64_Ehdr *head)
{
	Elf64_Phdr p;

	for (unsigned int i = 0; i < head->e_phnum; i++) {
		if (sys4(SYS_pread64, fd, &p, sizeof(p), head->e_phoff + i * sizeof(p)) != sizeof(p))
			return true;	/* not for us to judge */
		if (p.p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* "#!", blanks, a path: cut out in place. */
static char *interpreter(char *line)
{
	char *path = line + 2;

	path += strspn(path, " \t");
	path[strcspn(path, " \t\r\n")] = 0;
	return path;
}

static const char *obstacle(const char *path, int scripts)
{
	union {
		Elf64_Ehdr elf;
		char text[PATH_MAX];
	} head;
	const char *why = NULL;
	struct stat st;
	long fd, n;

	if (sys3(SYS_faccessat, AT_FDCWD, path, X_OK) ||
	    sys4(SYS_newfstatat, AT_FDCWD, path, &st, 0) || !S_ISREG(st.st_mode))
		return NULL;
	if ((st.st_mode & S_ISUID && st.st_uid != (uid_t)sys0(SYS_geteuid)) ||
	    ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != (gid_t)sys0(SYS_getegid)))
		return "changes user or group when it starts";
	fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	n = sys4(SYS_pread64, fd, &head, sizeof(head) - 1, 0);
	if (n > (long)sizeof(head.elf) && !memcmp(head.text, ELFMAG, SELFMAG)) {
		if (head.elf.e_ident[EI_CLASS] != ELFCLASS64 || head.elf.e_machine != EM_X86_64)
			why = "is not a 64-bit x86 program";
		else if (!has_interpreter(fd, &head.elf))
			why = "is statically linked";
	} else if (n > 2 && scripts && !memcmp(head.text, "#!", 2)) {
		head.text[n] = 0;
		why = obstacle(interpreter(head.text), scripts - 1);
	}
	sys1(SYS_close, fd);
	return why;
}

/* Where PATH has it; false: nowhere, or no search is due. */
static bool look_up(char found[PATH_MAX], const char *name)
{
	const char *path = getenv("PATH"), *end;
	size_t n = strlen(name);

	if (strchr(name, '/'))
		return false;
	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if ((size_t)(end - path) + n + 2 > PATH_MAX)
			continue;
		memcpy(found, path, (size_t)(end - path));
		found[end - path] = '/';
		memcpy(found + (end - path) + 1, name, n + 1);
		if (!sys3(SYS_faccessat, AT_FDCWD, found, X_OK))
			return true;
	}
	return false;
}

/* by: FLT_REC_REFUSED's pid, 0 for a process that is yet to be made. */
static void foretell(const char *path, char *const *env, bool search, int by)
{
	char found[PATH_MAX], text[sizeof(((struct flt_rec_message *)0)->text)];
	const char *why, *name;
	size_t n;
	int fd;

	if (!rec.ready || !path)
		return;
	if (search && look_up(found, path))
		path = found;
	why = names_us(env) ? obstacle(path, 1) : "gets an environment without the recorder";
	/* a program that is not there is not run */
	if (!why || sys3(SYS_faccessat, AT_FDCWD, path, X_OK))
		return;
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

static int failed(long ret)
{
	errno = (int)-ret;
	return -1;
}

EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	foretell(path, env, false, (int)sys0(SYS_getpid));
	return failed(sys3(SYS_execve, path, argv, env));
}

EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	foretell(file, environ, true, (int)sys0(SYS_getpid));
	return next_execvp ? next_execvp(file, argv) : failed(-ENOSYS);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
	foretell(file, env, true, (int)sys0(SYS_getpid));
	return next_execvpe ? next_execvpe(file, argv, env) : failed(-ENOSYS);
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	foretell(path, env, false, 0);
	return next_spawn ? next_spawn(pid, path, actions, attr, argv, env) : ENOSYS;
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	foretell(file, env, true, 0);
	return next_spawnp ? next_spawnp(pid, file, actions, attr, argv, env) : ENOSYS;
}
