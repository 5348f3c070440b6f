// SPDX-License-Identifier: GPL-2.0-or-later
#include "clock.h"

#include "lib/core/region.h"
#include "lib/core/sys.h"
#include "textfile.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

typedef int clock_fn(clockid_t clock, struct timespec *time);

static int by_system_call(clockid_t clock, struct timespec *time)
{
	return (int)sys2(SYS_clock_gettime, clock, time);
}

static clock_fn *read_clock = by_system_call;
static uint64_t offset;		/* ns, of the clock in our time namespace */

/* Return the offset that time_namespaces(7) shows for the clock, in ns. */
static uint64_t read_offset(void)
{
	static const char name[] = "monotonic";
	char text[256], *s;
	int64_t seconds, ns;

	rec_textfile_read("/proc/self/timens_offsets", text, sizeof(text));
	s = strstr(text, name);
	if (!s)
		return 0;
	seconds = strtoll(s + sizeof(name) - 1, &s, 10);
	ns = strtoll(s, NULL, 10);
	return (uint64_t)(seconds * 1000000000 + ns);
}

/* Return the end of the vDSO, as an offset. It has one segment. */
static uint64_t end_of(const char *vdso)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)vdso;
	const Elf64_Phdr *p = (const Elf64_Phdr *)(vdso + head->e_phoff);
	uint64_t end = 0;

	for (unsigned int i = 0; i < head->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_vaddr + p[i].p_memsz > end)
			end = p[i].p_vaddr + p[i].p_memsz;
	return (end + FLT_PAGE - 1) & ~(uint64_t)(FLT_PAGE - 1);
}

/* Return the section of a type, or NULL. Emulators may not map the sections. */
static const Elf64_Shdr *find_section(const char *vdso, uint32_t type)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)vdso;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(vdso + head->e_shoff);

	if (head->e_shentsize != sizeof(*s) ||
	    head->e_shoff + head->e_shnum * sizeof(*s) > end_of(vdso))
		return NULL;
	for (unsigned int i = 0; i < head->e_shnum; i++)
		if (s[i].sh_type == type)
			return &s[i];
	return NULL;
}

/* Return the address of a symbol in the vDSO, whose name depends on the architecture, or NULL. */
static const char *find_clock(const char *vdso)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)vdso;
	const Elf64_Shdr *all = (const Elf64_Shdr *)(vdso + head->e_shoff);
	const Elf64_Shdr *symbols = find_section(vdso, SHT_DYNSYM);
	const Elf64_Sym *s;
	const char *names;

	if (!symbols)
		return NULL;
	names = vdso + all[symbols->sh_link].sh_offset;
	s = (const Elf64_Sym *)(vdso + symbols->sh_offset);
	for (size_t i = 0; i < symbols->sh_size / sizeof(*s); i++)
		if (s[i].st_shndx != SHN_UNDEF &&
		    (!strcmp(names + s[i].st_name, "__vdso_clock_gettime") ||
		     !strcmp(names + s[i].st_name, "__kernel_clock_gettime")))
			return vdso + s[i].st_value;
	return NULL;
}

void rec_clock_init(void)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	const char *found = vdso ? find_clock(vdso) : NULL;

	if (found)
		read_clock = (clock_fn *)found;
	offset = read_offset();
}

uint64_t rec_now(void)
{
	struct timespec t;

	read_clock(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - offset;
}
