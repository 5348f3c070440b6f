// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * object.c - the loaded objects that have unwind tables.
 *
 * They are found in /proc/self/maps and in the ELF headers that are mapped, not through the
 * dynamic linker, because the fault server must not wait for the linker's lock, and a wrapper
 * of dlopen() would break the search path of its caller. If an address is in no known object,
 * the maps are read again, but at most once per second for the same page and 20 times per
 * second in all. Code generated at run time is an object without tables. For an address in it
 * the maps are read once per second, because an object may have been loaded there meanwhile.
 * After dlclose() an entry may be wrong; all reads tolerate that.
 */
#include "object.h"

#include "image/clock.h"
#include "image/image.h"
#include "region/region.h"

#include <assert.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>

#define OBJECTS 1024
/* Of these, mappings without a file, so that a compiler cannot fill the list. */
#define ANONYMOUS 512

static struct rec_object object[OBJECTS];
static unsigned int count, anonymous;

/* Cache of pages that are in no object. */
static struct {
	uint64_t page, when;
} unknown[64];
/* Reads of the maps in the current second, and the time of the last one. */
static uint64_t second, last_read;
static unsigned int reads;
static bool changed;

/* Blocks of unwind tables: one system call instead of one per value. */
#define BLOCK 512u
#define BLOCKS 64u
static struct {
	uint64_t address;	/* 0: empty */
	uint8_t bytes[BLOCK];
} block[BLOCKS];

bool rec_object_read(uint64_t address, void *to, size_t n)
{
	return rec_region.memory >= 0 &&
	       sys4(SYS_pread64, rec_region.memory, to, n, address) == (long)n;
}

/* A block is within a page, so it is mapped as a whole or not at all. */
static bool load_block(uint64_t at, uint8_t **bytes)
{
	static_assert(FLT_PAGE_MIN % BLOCK == 0, "a block is within a page");
	unsigned int i = at / BLOCK % BLOCKS;

	*bytes = block[i].bytes;
	if (block[i].address == at)
		return true;
	block[i].address = 0;
	if (!rec_object_read(at, block[i].bytes, BLOCK))
		return false;
	block[i].address = at;
	return true;
}

bool rec_object_read_table(uint64_t address, void *to, size_t n)
{
	uint8_t *bytes, *out = to;
	size_t from, have;

	while (n) {
		from = address % BLOCK;
		have = n < BLOCK - from ? n : BLOCK - from;
		if (!load_block(address - from, &bytes))
			return false;
		memcpy(out, bytes + from, have);
		address += have;
		out += have;
		n -= have;
	}
	return true;
}

static void forget_tables(void)
{
	for (unsigned int i = 0; i < BLOCKS; i++)
		block[i].address = 0;
}

bool rec_object_read_index(uint64_t address, void *to, size_t n)
{
	uint8_t kept[64];

	if (n > sizeof(kept) || !rec_object_read(address, to, n))
		return false;
	if (!rec_object_read_table(address, kept, n) || memcmp(kept, to, n))
		forget_tables();
	return true;
}

static void add_anonymous(uint64_t start, uint64_t end)
{
	if (count == OBJECTS || anonymous == ANONYMOUS)
		return;
	anonymous++;
	object[count++] = (struct rec_object){ .start = start, .end = end, .anonymous = true };
}

/* Add an executable mapping of the object whose ELF header is at base (0 = not mapped). */
static void add_object(uint64_t base, uint64_t start, uint64_t end)
{
	struct rec_object *o = &object[count];
	uint64_t bias = base, first = ~0ULL, table = 0, size = 0;
	Elf64_Ehdr e;
	Elf64_Phdr p;

	if (count == OBJECTS)
		return;
	*o = (struct rec_object){ .start = start, .end = end };
	count++;
	if (!base || !rec_object_read_table(base, &e, sizeof(e)) || e.e_ident[0] != 0x7f ||
	    e.e_ident[1] != 'E' || e.e_phentsize != sizeof(p))
		return;
	for (unsigned int i = 0; i < e.e_phnum && i < 64; i++) {
		if (!rec_object_read_table(base + e.e_phoff + i * sizeof(p), &p, sizeof(p)))
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
	o->eh_frame_hdr = bias + table;
	o->eh_frame_hdr_end = bias + table + size;
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

/* Parse one line: "start-end perms offset major:minor inode path". */
static void parse_line(const char *s, uint64_t *base, uint64_t *base_inode)
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
		add_object(*base_inode == inode ? *base : 0, start, end);
	else if (s[0] == '[' && s[1] == 'v' && s[2] == 'd')	/* [vdso] */
		add_object(start, start, end);
	else
		add_anonymous(start, end);
}

static void read_maps(void)
{
	static char buffer[8192];
	uint64_t base = 0, inode = 0;
	size_t have = 0, used, i;
	/* In the server, "self" is the server. The entry of the program may be gone. */
	long fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got;

	if (fd < 0)
		return;
	count = anonymous = 0;
	forget_tables();
	while ((got = sys3(SYS_read, fd, buffer + have, sizeof(buffer) - 1 - have)) > 0) {
		have += (size_t)got;
		for (used = i = 0; i < have; i++)
			if (buffer[i] == '\n') {
				buffer[i] = 0;
				parse_line(buffer + used, &base, &inode);
				used = i + 1;
			}
		if (!used && have == sizeof(buffer) - 1)
			used = have;	/* skip the rest of a long path */
		for (i = used; i < have; i++)
			buffer[i - used] = buffer[i];
		have -= used;
	}
	sys1(SYS_close, fd);
	changed = true;
}

static const struct rec_object *find(uint64_t ip)
{
	unsigned int lo = 0, hi = count;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (ip < object[mid].start)
			hi = mid;
		else if (ip >= object[mid].end)
			lo = mid + 1;
		else
			return &object[mid];
	}
	return NULL;
}

bool rec_object_take_changed(void)
{
	bool was = changed;

	changed = false;
	return was;
}

/* Return true if the maps may be read for an address in `o`, or in no object. */
static bool may_read_maps(const struct rec_object *o, uint64_t ip, uint64_t now)
{
	if (o && now - last_read < 1000000000)
		return false;
	if (!o && unknown[ip / FLT_PAGE & 63].page == ip / FLT_PAGE &&
	    now - unknown[ip / FLT_PAGE & 63].when < 1000000000)
		return false;
	if (now - second > 1000000000) {
		second = now;
		reads = 0;
	}
	return reads++ < 20;
}

const struct rec_object *rec_object_find(uint64_t ip)
{
	const struct rec_object *o = find(ip);
	uint64_t now;

	if (o && !o->anonymous)
		return o;
	now = rec_now();
	if (!may_read_maps(o, ip, now))
		return o;
	last_read = now;
	read_maps();
	o = find(ip);
	if (!o) {
		unknown[ip / FLT_PAGE & 63].page = ip / FLT_PAGE;
		unknown[ip / FLT_PAGE & 63].when = now;
	}
	return o;
}
