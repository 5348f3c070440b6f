// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c - why a program would run unrecorded.
 *
 * A program that is statically linked, that changes its user or group, or whose environment
 * lacks the recorder never connects to fltctl. So the process that executes it reports it. The
 * check examines just enough of the file not to report programs that will never run. Files of
 * unknown format are left to exec, which refuses them.
 */
#include "program.h"

#include "arch/libc.h"
#include "image/socket.h"
#include "lib/core/sys.h"

#include <alloca.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define OTHER_RIGHTS "changes user, group or capabilities when it starts"
#define HEAD 256	/* bytes that the kernel examines as well */
#define SCRIPTS 5	/* most scripts in a chain of interpreters */

#define NAME "libfltrec.so"

/* Return true if the recorder of the value of LD_PRELOAD can be read, maybe below another root. */
static bool can_load(const char *value)
{
	const char *at = strstr(value, NAME), *from = at;
	char *path;
	size_t n;

	while (from > value && from[-1] != ':' && from[-1] != ' ')
		from--;
	n = (size_t)(at - from) + sizeof(NAME) - 1;
	if (n >= PATH_MAX)
		return true;
	/* Not more than needed, because a signal stack may be small. */
	path = alloca(n + 1);
	memcpy(path, from, n);
	path[n] = 0;
	return !sys3(SYS_faccessat, AT_FDCWD, path, R_OK);
}

/* Return why the recorder would not start with this environment, or NULL. */
static const char *missing(char *const *env)
{
	const char *library = NULL;
	bool socket = false;

	for (; env && *env; env++) {
		if (!strncmp(*env, "LD_PRELOAD=", 11) && strstr(*env, NAME))
			library = *env + 11;
		socket |= !strncmp(*env, "FLT_RECORD_SOCKET=", 18);
	}
	if (!library || !socket)
		return "gets an environment without the recorder";
	if (!can_load(library))
		return "cannot read the recorder's library";
	return rec_socket_is_elsewhere() ? "is in another network namespace" : NULL;
}

static bool has_interpreter(long fd, const Elf64_Ehdr *head)
{
	Elf64_Phdr p;

	for (unsigned int i = 0; i < head->e_phnum; i++) {
		if (sys4(SYS_pread64, fd, &p, sizeof(p), head->e_phoff + i * sizeof(p)) !=
		    sizeof(p))
			return true;	/* unreadable: report nothing */
		if (p.p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* The dynamic linker has no interpreter, but reads LD_PRELOAD and runs its argument. */
static bool is_dynamic_linker(const struct stat *st)
{
	struct stat linker;

	return !sys4(SYS_newfstatat, AT_FDCWD, REC_LIBC_LINKER, &linker, 0) &&
	       linker.st_dev == st->st_dev && linker.st_ino == st->st_ino;
}

/* Return true if the program gets capabilities of its file, which root has anyway. */
static bool gains_capabilities(long fd)
{
	return fd >= 0 && sys0(SYS_geteuid) &&
	       sys4(SYS_fgetxattr, fd, "security.capability", 0, 0) >= 0;
}

/*
 * Return true if the program runs with other rights: then the dynamic linker ignores LD_PRELOAD.
 * fd: < 0 if it is not readable.
 */
static bool changes_rights(long fd, const struct stat *st)
{
	struct statfs fs;

	if (!gains_capabilities(fd) &&
	    !(st->st_mode & S_ISUID && st->st_uid != (uid_t)sys0(SYS_geteuid)) &&
	    !((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	      st->st_gid != (gid_t)sys0(SYS_getegid)))
		return false;
	if (sys5(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return false;
	return fd < 0 || sys2(SYS_fstatfs, fd, &fs) || !(fs.f_flags & ST_NOSUID);
}

static const char *of_elf(long fd, const Elf64_Ehdr *head, const struct stat *st,
			  const char *otherwise)
{
	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != REC_LIBC_MACHINE)
		return REC_LIBC_OTHER;
	if (!has_interpreter(fd, head) && !is_dynamic_linker(st))
		return "is statically linked";
	return changes_rights(fd, st) ? OTHER_RIGHTS : otherwise;
}

/* Return the path after "#!". Modifies the line. */
static char *interpreter(char *line)
{
	char *path = line + 2;

	path += strspn(path, " \t");
	path[strcspn(path, " \t\n")] = 0;
	return path;
}

/* Return why the program would run unrecorded, or `otherwise` if the file is not the reason. */
static const char *obstacle(const struct rec_program *p, const char *otherwise, int scripts)
{
	union {
		Elf64_Ehdr elf;
		char text[HEAD + 1];
	} head;
	struct rec_program next = { .dir = AT_FDCWD };
	const char *why = NULL;
	struct stat st;
	long fd, n;

	if (sys3(SYS_faccessat, p->dir, p->path, X_OK) ||
	    sys4(SYS_newfstatat, p->dir, p->path, &st, p->flags) || !S_ISREG(st.st_mode))
		return NULL;
	fd = sys4(SYS_openat, p->dir, p->path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return changes_rights(fd, &st) ? OTHER_RIGHTS : otherwise;
	n = sys4(SYS_pread64, fd, &head, HEAD, 0);
	head.text[n < 0 ? 0 : n] = 0;
	if (n > (long)sizeof(head.elf) && !memcmp(head.text, ELFMAG, SELFMAG)) {
		why = of_elf(fd, &head.elf, &st, otherwise);
	} else if (n > 2 && !memcmp(head.text, "#!", 2)) {
		next.path = interpreter(head.text);
		if (scripts)
			why = obstacle(&next, otherwise, scripts - 1);
	} else if (p->by_shell) {
		why = otherwise;
	}
	sys1(SYS_close, fd);
	return why;
}

const char *rec_program_obstacle(const struct rec_program *p)
{
	return obstacle(p, missing(p->env), p->closes ? 0 : SCRIPTS);
}
