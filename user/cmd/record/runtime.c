// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/runtime.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cmd/record/target.h"

/* The Go linker writes its build ID into a note of this owner. */
#define GO_NOTE "Go"

/* Return true if the program is linked with a library. */
static bool needs(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, const char *library)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const char *name;
	GElf_Dyn entry;
	size_t i;

	for (i = 0; data && head->sh_entsize && i < head->sh_size / head->sh_entsize; i++) {
		if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag != DT_NEEDED)
			continue;
		name = elf_strptr(elf, head->sh_link, entry.d_un.d_val);
		if (name && !strncmp(name, library, strlen(library)))
			return true;
	}
	return false;
}

static bool is_go(Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t at = 0, name, content;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &content)) > 0)
		if (note.n_namesz == sizeof(GO_NOTE) + 1 &&
		    !memcmp((const char *)data->d_buf + name, GO_NOTE, sizeof(GO_NOTE)))
			return true;
	return false;
}

static const char *runtime_of(Elf *elf)
{
	bool go = false, libc = false, sanitizer = false;
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &head))
			continue;
		if (head.sh_type == SHT_DYNAMIC) {
			libc = libc || needs(elf, section, &head, "libc.so");
			sanitizer = sanitizer || needs(elf, section, &head, "libasan.so");
		} else if (head.sh_type == SHT_NOTE) {
			go = go || is_go(section);
		}
	}
	if (sanitizer)
		return "AddressSanitizer must be the first library";
	/* A Go program that calls C maps memory by libc's mmap(). */
	return go && !libc ? "Go maps memory by system calls of its own" : NULL;
}

const char *flt_record_runtime(const char *program)
{
	char name[PATH_MAX];
	const char *why = NULL;
	int fd = flt_record_target_open(program, name);
	Elf *elf;

	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		why = runtime_of(elf);
	elf_end(elf);
	close(fd);
	return why;
}
