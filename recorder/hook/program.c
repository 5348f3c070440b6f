// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c - why a program would run unrecorded.
 *
 * A program that is statically linked, that has another C library, that changes its user or group,
 * or whose environment lacks the recorder never connects to fltctl. So the process that executes
 * it reports it. The check examines just enough of the file not to report programs that will never
 * run. Files of unknown format are left to exec, which refuses them.
 */
#include "program.h"

#include "arch/libc.h"
#include "environment.h"
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

/* Return true if the recorder can be read, maybe below another root. from: its path, n bytes. */
static bool can_load(const char *from, size_t n)
{
	char *path;

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
	const char *library = NULL, *found;
	bool socket = false;
	size_t length, n = 0;

	for (; env && *env; env++) {
		found = rec_environment_library(*env, &length);
		if (found) {
			library = found;
			n = length;
		}
		socket |= !strncmp(*env, "FLT_RECORD_SOCKET=", 18);
	}
	if (!library || !socket)
		return "gets an environment without the recorder";
	if (!can_load(library, n))
		return "cannot read the recorder's library";
	return rec_socket_is_elsewhere() ? "is in another network namespace" : NULL;
}

static bool is_linker(const struct stat *st)
{
	struct stat linker;

	return !sys4(SYS_newfstatat, AT_FDCWD, REC_LIBC_LINKER, &linker, 0) &&
	       linker.st_dev == st->st_dev && linker.st_ino == st->st_ino;
}

enum linker { LINKER_NONE, LINKER_OURS, LINKER_OTHER };

/*
 * Return which dynamic linker a segment PT_INTERP names. If the named one is missing, exec will
 * fail. If ours is missing, this system does not follow the ABI, and nothing is known.
 */
static enum linker named_linker(long fd, const Elf64_Phdr *p)
{
	struct stat st;
	char *path;

	if (!p->p_filesz || p->p_filesz > PATH_MAX)
		return LINKER_OURS;
	path = alloca(p->p_filesz);
	if (sys4(SYS_pread64, fd, path, p->p_filesz, p->p_offset) != (long)p->p_filesz)
		return LINKER_OURS;
	path[p->p_filesz - 1] = 0;
	return sys4(SYS_newfstatat, AT_FDCWD, path, &st, 0) || is_linker(&st) ||
	       sys3(SYS_faccessat, AT_FDCWD, REC_LIBC_LINKER, F_OK) ? LINKER_OURS : LINKER_OTHER;
}

/* The dynamic linker has no interpreter, but reads LD_PRELOAD and runs its argument. */
static enum linker linker_of(long fd, const Elf64_Ehdr *head, const struct stat *st)
{
	Elf64_Phdr p;

	for (unsigned int i = 0; i < head->e_phnum; i++) {
		if (sys4(SYS_pread64, fd, &p, sizeof(p), head->e_phoff + i * sizeof(p)) !=
		    sizeof(p))
			return LINKER_OURS;	/* unreadable: report nothing */
		if (p.p_type == PT_INTERP)
			return named_linker(fd, &p);
	}
	return is_linker(st) ? LINKER_OURS : LINKER_NONE;
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

static const char *of_elf(struct rec_program *p, long fd, const Elf64_Ehdr *head,
			  const struct stat *st, const char *otherwise)
{
	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != REC_LIBC_MACHINE)
		return REC_LIBC_OTHER;
	switch (linker_of(fd, head, st)) {
	case LINKER_NONE:
		return "is statically linked";
	case LINKER_OTHER:
		p->foreign = true;
		return "uses another C library than the recorder";
	default:
		return changes_rights(fd, st) ? OTHER_RIGHTS : otherwise;
	}
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
static const char *obstacle(struct rec_program *p, const char *otherwise, int scripts)
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
		why = of_elf(p, fd, &head.elf, &st, otherwise);
	} else if (n > 2 && !memcmp(head.text, "#!", 2)) {
		next.path = interpreter(head.text);
		if (scripts)
			why = obstacle(&next, otherwise, scripts - 1);
		p->foreign = next.foreign;
	} else if (p->by_shell) {
		why = otherwise;
	}
	sys1(SYS_close, fd);
	return why;
}

const char *rec_program_obstacle(struct rec_program *p)
{
	return obstacle(p, missing(p->env), p->closes ? 0 : SCRIPTS);
}
