// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module.c - the objects in this memory that have unwind tables.
 *
 * Found in /proc/self/maps and in the ELF headers that are mapped, not through
 * the dynamic linker: the fault server may not wait for the linker's lock, and
 * a wrapped dlopen() would resolve its caller's search path wrongly. Looked at
 * anew when an address is in none, but once a second at most for the same 64 KiB
 * and 20 times in all (code made at run time is never found). What an address was
 * may be wrong after dlclose(); all reads tolerate that.
 */
#include "rec.h"

#include <elf.h>
#include <fcntl.h>

#define MODULES 1024

static struct rec_module module[MODULES];
static unsigned int count;

/* Addresses looked for in vain, by 64 KiB; and how often in this second. */
static struct {
	uint64_t chunk, when;
} vain[64];
static uint64_t second;
static unsigned int looks;

bool rec_module_read(uint64_t address, void *to, size_t n)
{
	return rec.memfd_self >= 0 &&
	       sys4(SYS_pread64, rec.memfd_self, to, n, address) == (long)n;
}

/* Unwind table of the object whose ELF header is at base. */
static void add(uint64_t base, uint64_t start, uint64_t end)
{
	struct rec_module *m = &module[count];
	uint64_t bias = base, first = ~0ULL, table = 0, size = 0;
	Elf64_Ehdr e;
	Elf64_Phdr p;

	if (count == MODULES)
		return;
	*m = (struct rec_module){ start, end, 0, 0 };
	count++;
	if (!base || !rec_module_read(base, &e, sizeof e) || e.e_ident[0] != 0x7f ||
	    e.e_ident[1] != 'E' || e.e_phentsize != sizeof p)
		return;
	for (unsigned int i = 0; i < e.e_phnum && i < 64; i++) {
		if (!rec_module_read(base + e.e_phoff + i * sizeof p, &p, sizeof p))
			return;
		if (p.p_type == PT_LOAD && first == ~0ULL)
			first = p.p_vaddr - p.p_offset;
		if (p.p_type == PT_GNU_EH_FRAME) {
			table = p.p_vaddr;
			size = p.p_memsz;
		}
	}
	if (!table || first == ~0ULL)
		return;
	bias = base - first;
	m->eh_frame_hdr = bias + table;
	m->eh_frame_hdr_end = bias + table + size;
}

static uint64_t hex(const char **s)
{
	uint64_t v = 0;

	for (;; (*s)++) {
		if (**s >= '0' && **s <= '9')
			v = v << 4 | (uint64_t)(**s - '0');
		else if (**s >= 'a' && **s <= 'f')
			v = v << 4 | (uint64_t)(**s - 'a' + 10);
		else
			return v;
	}
}

/* One line: "start-end perms offset major:minor inode path". */
static void line(const char *s, uint64_t *base, uint64_t *base_inode)
{
	uint64_t start, end, offset, inode = 0;
	bool exec;

	start = hex(&s);
	if (*s++ != '-')
		return;
	end = hex(&s);
	if (*s != ' ')
		return;
	exec = s[3] == 'x';
	s += 6;
	offset = hex(&s);
	s++;
	hex(&s);
	s++;
	hex(&s);
	for (s++; *s >= '0' && *s <= '9'; s++)
		inode = inode * 10 + (uint64_t)(*s - '0');
	while (*s == ' ')
		s++;
	if (!offset && inode) {
		*base = start;
		*base_inode = inode;
	}
	if (!exec)
		return;
	if (inode)
		add(*base_inode == inode ? *base : 0, start, end);
	else if (s[0] == '[' && s[1] == 'v' && s[2] == 'd')	/* [vdso] */
		add(start, start, end);
}

static void refresh(void)
{
	static char buffer[8192];
	uint64_t base = 0, inode = 0;
	size_t have = 0, used, i;
	/* the server's own entry: the program's may be hidden from it or gone */
	long fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got;

	if (fd < 0)
		return;
	count = 0;
	while ((got = sys3(SYS_read, fd, buffer + have, sizeof buffer - 1 - have)) > 0) {
		have += (size_t)got;
		for (used = i = 0; i < have; i++)
			if (buffer[i] == '\n') {
				buffer[i] = 0;
				line(buffer + used, &base, &inode);
				used = i + 1;
			}
		if (!used && have == sizeof buffer - 1)
			used = have;	/* a path longer than that: skip */
		for (i = used; i < have; i++)
			buffer[i - used] = buffer[i];
		have -= used;
	}
	sys1(SYS_close, fd);
	rec.maps_changed = true;
}

static const struct rec_module *find(uint64_t ip)
{
	unsigned int lo = 0, hi = count;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (ip < module[mid].start)
			hi = mid;
		else if (ip >= module[mid].end)
			lo = mid + 1;
		else
			return &module[mid];
	}
	return NULL;
}

const struct rec_module *rec_module_find(uint64_t ip)
{
	const struct rec_module *m = find(ip);
	uint64_t now;

	if (m)
		return m;
	now = sys_now();
	if (vain[ip >> 16 & 63].chunk == ip >> 16 && now - vain[ip >> 16 & 63].when < 1000000000)
		return NULL;
	if (now - second > 1000000000) {
		second = now;
		looks = 0;
	}
	if (looks++ >= 20)
		return NULL;
	refresh();
	m = find(ip);
	if (!m) {
		vain[ip >> 16 & 63].chunk = ip >> 16;
		vain[ip >> 16 & 63].when = now;
	}
	return m;
}
