// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/code/elffile.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/code/symtab.h"

/* Not 0, because libdwfl could not tell addresses from offsets then. */
#define MODULE_BASE 0x10000000ull
#define VDSO_MAX (64u << 10)

struct flt_elf_file {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;		/* of the module */
	GElf_Addr bias;
	bool debug_only;	/* a debug file: its offsets differ from the mapped file */
	uint64_t text;		/* offset of the code in the mapped file */
	uint64_t in_page;	/* bits of an address that are the offset in a page */
	struct flt_symtab *symtab;	/* NULL: not yet read */
};

/* Where libdwfl searches for debug files; NULL: its default. */
static char *debug_path;

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

static bool same_build_id(int fd, const struct flt_object *object)
{
	const void *bits;
	ssize_t n;
	Elf *elf;
	bool same;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return false;
	n = dwelf_elf_gnu_build_id(elf, &bits);
	same = elf_kind(elf) == ELF_K_ELF &&
	       (!object->build_id_size || (n >= object->build_id_size &&
					   !memcmp(bits, object->build_id, object->build_id_size)));
	elf_end(elf);
	return same;
}

/* On success, libdwfl owns fd. */
static struct flt_elf_file *elf_report(int fd, const char *name, struct flt_page_size page)
{
	struct flt_elf_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->in_page = (1ull << page.shift) - 1;
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl)
		goto err_free;
	dwfl_report_begin(file->dwfl);
	file->module = dwfl_report_elf(file->dwfl, name, name, fd, MODULE_BASE, false);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (!file->module)
		goto err_free;
	file->elf = dwfl_module_getelf(file->module, &file->bias);
	if (!file->elf)
		goto err_module;
	return file;

err_module:
	/* libdwfl closed fd with the module, so the caller must not close it. */
	dwfl_end(file->dwfl);
	free(file);
	return NULL;
err_free:
	close(fd);
	dwfl_end(file->dwfl);
	free(file);
	return NULL;
}

/* Open the same build under /usr/lib/debug, if the file was deleted or changed. */
static int build_id_open(const struct flt_object *object)
{
	char path[sizeof("/usr/lib/debug/.build-id/xx/.debug") + 2 * FLT_BUILD_ID_MAX];
	size_t n, i;

	if (object->build_id_size < 2)
		return -1;
	n = (size_t)sprintf(path, "/usr/lib/debug/.build-id/%02x/", object->build_id[0]);
	for (i = 1; i < object->build_id_size; i++)
		n += (size_t)sprintf(path + n, "%02x", object->build_id[i]);
	strcpy(path + n, ".debug");
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

struct flt_elf_file *flt_elf_file_open(const char *root, const struct flt_object *object,
				       struct flt_page_size page)
{
	char path[PATH_MAX];
	struct flt_elf_file *file;
	bool debug_only = false;
	struct stat st;
	int fd;

	if (snprintf(path, sizeof(path), "%s%s", root ? root : "", object->name) >=
	    (int)sizeof(path))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !same_build_id(fd, object)) {
		if (fd >= 0)
			close(fd);
		fd = build_id_open(object);
		if (fd < 0 || !same_build_id(fd, object)) {
			if (fd >= 0)
				close(fd);
			return NULL;
		}
		debug_only = true;
	}
	file = elf_report(fd, path, page);
	if (file) {
		file->debug_only = debug_only;
		file->text = object->text;
	}
	return file;
}

struct flt_elf_file *flt_elf_file_vdso(const struct flt_object *object, struct flt_page_size page)
{
	const unsigned char *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *head = (const void *)image;
	size_t size;
	int fd;

	if (!image || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	/* Section headers are at the end of the file. */
	size = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
	if (size > VDSO_MAX)
		return NULL;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (write(fd, image, size) != (ssize_t)size || !same_build_id(fd, object)) {
		close(fd);
		return NULL;
	}
	return elf_report(fd, "[vdso]", page);
}

void flt_elf_file_close(struct flt_elf_file *file)
{
	if (!file)
		return;
	flt_symtab_free(file->symtab);
	dwfl_end(file->dwfl);
	free(file);
}

Dwfl_Module *flt_elf_file_module(const struct flt_elf_file *file)
{
	return file->module;
}

const char *flt_elf_file_symbol(struct flt_elf_file *file, Dwarf_Addr address, uint64_t *offset)
{
	if (!file->symtab)
		file->symtab = flt_symtab_new(file->module);
	return file->symtab ? flt_symtab_find(file->symtab, address, offset) : NULL;
}

bool flt_elf_file_address(const struct flt_elf_file *file, uint64_t offset, Dwarf_Addr *address)
{
	GElf_Phdr phdr, text = { 0 };
	size_t n, i, texts = 0;

	if (elf_getphdrnum(file->elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
		    !(phdr.p_flags & PF_X))
			continue;
		text = phdr;
		texts++;
		if (file->debug_only)
			continue;
		/* The first and the last page of a segment are mapped as a whole. */
		if (offset >= (phdr.p_offset & ~file->in_page) &&
		    offset < ((phdr.p_offset + phdr.p_memsz + file->in_page) & ~file->in_page)) {
			*address = file->bias + phdr.p_vaddr + (offset - phdr.p_offset);
			return true;
		}
	}
	/* The segment is known only if the file has a single code segment. */
	*address = file->bias + (text.p_vaddr & ~file->in_page) + (offset - file->text);
	return file->debug_only && texts == 1 && offset >= file->text &&
	       *address < file->bias + text.p_vaddr + text.p_memsz;
}
