// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/unwind/tables.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/hash_table.h"

/*
 * Bounds. Everybody may map a file whose headers claim anything. The tables of chromium have
 * 30 MiB.
 */
#define SECTION_MAX (64u << 20)
#define STORE_MAX (512u << 20)
#define SEGMENTS 8

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

struct segment {
	uint64_t offset, address, size;
};

struct key {
	dev_t device;
	ino_t inode;
	int64_t size, seconds, nanoseconds;	/* of the last change */
};

struct stored {
	struct key key;
	struct flt_unwind_tables tables;
	struct segment code[SEGMENTS];
	unsigned int segments;
	UT_hash_handle hh;
};

struct flt_unwind_store {
	struct stored *files, *vdso;
	size_t bytes;
};

struct flt_unwind_store *flt_unwind_store_new(void)
{
	return calloc(1, sizeof(struct flt_unwind_store));
}

static void stored_free(struct stored *s)
{
	free(s->tables.index.bytes);
	free(s->tables.frames.bytes);
	free(s);
}

void flt_unwind_store_free(struct flt_unwind_store *store)
{
	struct stored *s, *next;

	if (!store)
		return;
	HASH_ITER(hh, store->files, s, next) {
		HASH_DEL(store->files, s);
		stored_free(s);
	}
	if (store->vdso)
		stored_free(store->vdso);
	free(store);
}

static bool segments_read(struct stored *s, Elf *elf)
{
	struct flt_unwind_tables *t = &s->tables;
	size_t count, i;
	GElf_Phdr p;

	if (elf_getphdrnum(elf, &count))
		return false;
	t->low = UINT64_MAX;
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		if (p.p_vaddr < t->low)
			t->low = p.p_vaddr;
		if (p.p_vaddr + p.p_memsz > t->high)
			t->high = p.p_vaddr + p.p_memsz;
		if (p.p_flags & PF_X && s->segments < SEGMENTS)
			s->code[s->segments++] = (struct segment){ p.p_offset, p.p_vaddr,
								   p.p_filesz };
	}
	return s->segments > 0;
}

/* Copy a section. It stays empty if the file has no bytes for it, or too many. */
static void section_copy(struct flt_unwind_section *to, Elf_Scn *section, const GElf_Shdr *header)
{
	const Elf_Data *data;

	if (to->bytes || header->sh_type == SHT_NOBITS || header->sh_size > SECTION_MAX)
		return;
	data = elf_getdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return;
	to->bytes = malloc(data->d_size);
	if (!to->bytes)
		return;
	memcpy(to->bytes, data->d_buf, data->d_size);
	to->address = header->sh_addr;
	to->size = data->d_size;
}

static void sections_read(struct flt_unwind_tables *t, Elf *elf)
{
	Elf_Scn *section = NULL;
	const char *name;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		name = gelf_getshdr(section, &header) ?
		       elf_strptr(elf, names, header.sh_name) : NULL;
		if (name && !strcmp(name, ".eh_frame_hdr"))
			section_copy(&t->index, section, &header);
		else if (name && !strcmp(name, ".eh_frame"))
			section_copy(&t->frames, section, &header);
	}
}

/* Find the entries of the index. Static programs have none; theirs is made, behind the file. */
static void index_open(struct flt_unwind_tables *t)
{
	if (!t->frames.bytes)
		return;
	if (!t->index.bytes) {
		t->index.address = (t->high + 4095) & ~4095ull;
		flt_unwind_index_make(&t->index, &t->frames);
	}
	t->entries = flt_unwind_index_count(&t->index);
	t->first = t->index.address + FLT_UNWIND_INDEX_HEADER;
}

/* Copy the tables of an ELF file. Return false if no code of this machine is in it. */
static bool stored_fill(struct stored *s, Elf *elf)
{
	GElf_Ehdr header;

	if (!elf || !gelf_getehdr(elf, &header) || header.e_machine != MACHINE ||
	    gelf_getclass(elf) != ELFCLASS64 || !segments_read(s, elf))
		return false;
	sections_read(&s->tables, elf);
	index_open(&s->tables);
	return true;
}

static bool stored_read(struct stored *s, int fd)
{
	bool usable;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	usable = stored_fill(s, elf);
	elf_end(elf);
	return usable;
}

/* Return the entry of an open file. Its tables are read when it is new. */
static struct stored *stored_get(struct flt_unwind_store *store, int fd, const struct stat *st)
{
	struct key key;
	struct stored *s;

	memset(&key, 0, sizeof(key));	/* padding is part of the hash */
	key.device = st->st_dev;
	key.inode = st->st_ino;
	key.size = st->st_size;
	key.seconds = st->st_mtim.tv_sec;
	key.nanoseconds = st->st_mtim.tv_nsec;
	HASH_FIND(hh, store->files, &key, sizeof(key), s);
	if (s || store->bytes > STORE_MAX)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->key = key;
	if (!stored_read(s, fd)) {
		stored_free(s);
		return NULL;
	}
	HASH_ADD(hh, store->files, key, sizeof(key), s);
	if (!flt_hash_added(&s->hh)) {
		stored_free(s);
		return NULL;
	}
	store->bytes += sizeof(*s) + s->tables.index.size + s->tables.frames.size;
	return s;
}

struct flt_unwind_tables *flt_unwind_store_get(struct flt_unwind_store *store, const char *path,
					       uint64_t offset, uint64_t *address)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct stored *s = NULL;
	const struct segment *code;
	struct stat st;
	unsigned int i;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		s = stored_get(store, fd, &st);
	close(fd);
	for (i = 0; s && i < s->segments; i++) {
		code = &s->code[i];
		/* The kernel maps whole pages. */
		if (offset >= (code->offset & ~(page - 1)) && offset < code->offset + code->size) {
			*address = code->address - code->offset + offset;
			return &s->tables;
		}
	}
	return NULL;
}

/* The section headers are the last part of the vDSO. */
static size_t vdso_size(const Elf64_Ehdr *header)
{
	return header->e_shoff + (size_t)header->e_shentsize * header->e_shnum;
}

struct flt_unwind_tables *flt_unwind_store_vdso(struct flt_unwind_store *store)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	struct stored *s;
	Elf *elf;

	if (store->vdso || !header)
		return store->vdso ? &store->vdso->tables : NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)header, vdso_size(header));
	if (stored_fill(s, elf))
		store->vdso = s;
	else
		stored_free(s);
	elf_end(elf);
	return store->vdso ? &store->vdso->tables : NULL;
}
