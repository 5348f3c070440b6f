// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/target.h"
#include "source/proc/machine.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LIBRARY "libfltrec.so"
#define ANOTHER " (use --engine=cgroup)"
#define HEAD 256	/* bytes that the kernel examines for the interpreter of a script */
#define SCRIPTS 5	/* most scripts in a chain of interpreters */

/* Open the file that execvp() would find. Return a descriptor or -1. */
static int open_found(const char *program)
{
	const char *path = getenv("PATH"), *end;
	char name[PATH_MAX];
	int fd;

	if (strchr(program, '/'))
		return open(program, O_RDONLY | O_CLOEXEC);
	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if (snprintf(name, sizeof(name), "%.*s/%s", (int)(end - path), path, program) >=
		    (int)sizeof(name) || access(name, X_OK))
			continue;
		fd = open(name, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* Copy the path after "#!". Return false if the file is not a script. */
static bool read_interpreter(int fd, char *path)
{
	char line[HEAD + 1];
	ssize_t n = pread(fd, line, HEAD, 0);
	size_t length;

	if (n < 3 || memcmp(line, "#!", 2))
		return false;
	line[n] = 0;
	n = 2 + (ssize_t)strspn(line + 2, " \t");
	length = strcspn(line + n, " \t\n");
	memcpy(path, line + n, length);
	path[length] = 0;
	return true;
}

int flt_record_target_open(const char *program, char *name)
{
	int fd = open_found(program), scripts = 0;

	snprintf(name, PATH_MAX, "%s", program);
	while (fd >= 0 && scripts++ < SCRIPTS && read_interpreter(fd, name)) {
		close(fd);
		fd = open(name, O_RDONLY | O_CLOEXEC);
	}
	return fd;
}

/* Return 0 if a file can be executed, else -errno. */
static int check_executable(const char *name)
{
	struct stat st;

	if (access(name, X_OK) || stat(name, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? 0 : -EACCES;
}

int flt_record_target_find(const char *program)
{
	const char *path = getenv("PATH"), *end;
	char name[PATH_MAX];
	int err = -ENOENT;

	if (strchr(program, '/'))
		return check_executable(program);
	if (!path)
		return 0;	/* execvp() has a default path */
	for (; *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if (snprintf(name, sizeof(name), "%.*s/%s", end > path ? (int)(end - path) : 1,
			     end > path ? path : ".", program) >= (int)sizeof(name))
			continue;
		switch (check_executable(name)) {
		case 0:
			return 0;
		case -EACCES:
			err = -EACCES;
		}
	}
	return err;
}

/*
 * Find the file of the dynamic linker. Return 0, -ENOENT if the program has none, or -EINVAL for a
 * damaged file, which the kernel refuses.
 */
static int find_linker(int fd, struct stat *st)
{
	char path[PATH_MAX];
	Elf64_Ehdr head;
	unsigned int i;
	Elf64_Phdr p;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head))
		return -EINVAL;
	for (i = 0; i < head.e_phnum; i++) {
		if (pread(fd, &p, sizeof(p), (off_t)(head.e_phoff + i * sizeof(p))) != sizeof(p))
			return -EINVAL;
		if (p.p_type != PT_INTERP)
			continue;
		if (!p.p_filesz || p.p_filesz > sizeof(path) ||
		    pread(fd, path, p.p_filesz, (off_t)p.p_offset) != (ssize_t)p.p_filesz)
			return -EINVAL;
		path[p.p_filesz - 1] = 0;
		return stat(path, st) ? -EINVAL : 0;
	}
	return -ENOENT;
}

/* Return true if the program has another dynamic linker, and so another C library, than fltctl. */
static bool is_foreign(const struct stat *linker)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat own;
	bool other;

	if (self < 0)
		return false;
	other = !find_linker(self, &own) &&
		(own.st_dev != linker->st_dev || own.st_ino != linker->st_ino);
	close(self);
	return other;
}

/* Return true if the dynamic linker ignores LD_PRELOAD, because the program gets other rights. */
static bool changes_rights(int fd, const struct stat *st)
{
	return (st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	       ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
		st->st_gid != getegid()) ||
	       (geteuid() && fgetxattr(fd, "security.capability", NULL, 0) >= 0);
}

static int check_elf(const char *name, int fd, const Elf64_Ehdr *head, struct flt_errmsg *e)
{
	struct stat st, linker;
	int err;

	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != FLT_MACHINE_ELF)
		return flt_errmsg_set(e, -EOPNOTSUPP, "cannot limit %s: not a 64-bit "
				      FLT_MACHINE_NAME " program" ANOTHER, name);
	err = find_linker(fd, &linker);
	if (err == -ENOENT)
		return flt_errmsg_set(e, -EOPNOTSUPP, "cannot limit %s: statically linked" ANOTHER,
				      name);
	if (!err && is_foreign(&linker))
		return flt_errmsg_set(e, -EOPNOTSUPP, "cannot limit %s: another C library than "
				      "that of fltctl" ANOTHER, name);
	if (!fstat(fd, &st) && changes_rights(fd, &st))
		return flt_errmsg_set(e, -EOPNOTSUPP, "cannot limit %s: it changes user, group or "
				      "capabilities when it starts (run fltctl as that user, or "
				      "use --engine=cgroup)", name);
	return 0;
}

int flt_record_target_check(const char *program, struct flt_errmsg *e)
{
	Elf64_Ehdr head = { 0 };
	char name[PATH_MAX];
	int fd, ret = 0;
	ssize_t n;

	fd = flt_record_target_open(program, name);
	if (fd < 0)
		return 0;
	n = pread(fd, &head, sizeof(head), 0);
	if (n >= EI_NIDENT && !memcmp(head.e_ident, ELFMAG, SELFMAG))
		ret = check_elf(name, fd, &head, e);
	close(fd);
	return ret;
}

int flt_record_target_library(char *path, struct flt_errmsg *e)
{
	static const char *const places[] = { LIBRARY, "../lib/flt/" LIBRARY };
	char self[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	if (n < 0)
		return flt_errmsg_errno(e, -errno, "cannot find the path of fltctl");
	self[n] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (snprintf(path, PATH_MAX, "%s/%s", self, places[i]) >= PATH_MAX)
			continue;
		if (strpbrk(path, " :"))
			return flt_errmsg_set(e, -EOPNOTSUPP, "cannot preload %s: the path "
					      "contains a blank or a colon (install it elsewhere)",
					      path);
		if (!access(path, R_OK))
			return 0;
	}
	return flt_errmsg_set(e, -ENOENT, "missing %s: expected in %s or its ../lib/flt", LIBRARY,
			      self);
}

/* Return 0 if pages can be evicted, or -ENOSYS. */
static int check_eviction(bool copy, struct flt_errmsg *e)
{
	bool move = flt_machine_can_move();

	if ((move && !copy) || flt_machine_can_protect())
		return 0;
	if (move)
		return flt_errmsg_set(e, -ENOSYS, "cannot evict pages by copying: this kernel "
				      "cannot write-protect them (omit --no-move)");
	return flt_errmsg_set(e, -ENOSYS, "cannot evict pages: this kernel can neither move nor "
			      "write-protect them (boot Linux 6.8 or later)");
}

int flt_record_target_may(bool copy, struct flt_errmsg *e)
{
	int got = flt_machine_userfaultfd();

	if (got == 3)
		return check_eviction(copy, e);
	if (got == -ENOSYS || got == -EINVAL)
		return flt_errmsg_set(e, -ENOSYS, "missing userfaultfd, which -L needs (boot a "
				      "kernel with CONFIG_USERFAULTFD)");
	return flt_errmsg_set(e, -EPERM, "missing CAP_SYS_PTRACE, which -L needs to handle faults "
			      "in system calls and forked children (run as root, or see man "
			      "fltctl-record, CAPABILITIES)");
}
