// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libunwind.c - unwind by libunwind, over a copy of the stack and copies of the unwind tables.
 *
 * libunwind calls back for every register, word and table. It keeps the rules that it has read
 * from the tables, by instruction. A stack that leads through a file without .eh_frame is given to
 * libdw, which finds .debug_frame in the file or in its separate debug file.
 */
#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

#include "source/unwind/library.h"

/*
 * Search an index. libunwind exports this function, under a name of the architecture, but no header
 * declares it; perf uses it in the same way (tools/perf/util/unwind-libunwind-local.c).
 */
#define dwarf_search_unwind_table UNW_OBJ(dwarf_search_unwind_table)
int dwarf_search_unwind_table(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di,
			      unw_proc_info_t *pi, int need_unwind_info, void *arg);

/*
 * Maximum number of words that one stack may read. Tables belong to the program that is observed:
 * an expression may contain a loop, and libunwind would execute it for ever.
 */
#define READS_MAX (1u << 18)

struct mapped {
	struct flt_unwind_tables *tables;
	uint64_t bias;		/* address in the image - address in the file */
	uint64_t start, offset;	/* of the mapping */
	char *path;
};

struct libunwind {
	struct flt_unwind_store *store;
	unw_addr_space_t space;
	struct mapped *mapped;
	size_t count;
	void *libdw;		/* NULL: not needed yet */
	/* of the current run */
	struct flt_unwind_stack *stack;
	const struct mapped *searched;	/* its tables were read last */
	bool searching;
	uint64_t ip;			/* of the last frame */
	unsigned int reads;
	bool failed;			/* a word is not in the copies */
	bool guessed;			/* no rule: the last frame was left by its frame pointer */
	struct mapped *gap;		/* file of the first frame without a rule, or NULL */
	size_t gap_at;			/* number of frames then */
};

static struct mapped *mapped_find(const struct libunwind *u, uint64_t ip)
{
	size_t i;

	for (i = 0; i < u->count; i++)
		if (ip - u->mapped[i].bias >= u->mapped[i].tables->low &&
		    ip - u->mapped[i].bias < u->mapped[i].tables->high)
			return &u->mapped[i];
	return NULL;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *info,
			  int need_unwind_info, void *arg)
{
	struct libunwind *u = arg;
	struct mapped *m = mapped_find(u, ip);
	const struct flt_unwind_tables *t = m ? m->tables : NULL;
	unw_dyn_info_t table;
	int ret = -UNW_ENOINFO;

	u->searched = m;
	if (t && t->entries) {
		memset(&table, 0, sizeof(table));
		table.format = UNW_INFO_FORMAT_REMOTE_TABLE;
		table.start_ip = t->low + m->bias;
		table.end_ip = t->high + m->bias;
		table.u.rti.segbase = t->index.address + m->bias;
		table.u.rti.table_data = t->first + m->bias;
		table.u.rti.table_len = t->entries * FLT_UNWIND_INDEX_ENTRY / sizeof(unw_word_t);
		u->searching = true;
		ret = dwarf_search_unwind_table(as, ip, &table, info, need_unwind_info, arg);
		u->searching = false;
	}
	if (ret < 0 && m && !u->gap) {
		u->gap = m;
		u->gap_at = u->stack->count;
	}
	u->guessed |= ret < 0;
	return ret;
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *info, void *arg)
{
	(void)as;
	(void)info;
	(void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *list, void *arg)
{
	(void)as;
	(void)list;
	(void)arg;
	return -UNW_ENOINFO;
}

/*
 * Read a word of a section. libunwind reads whole words around the bytes that it needs, so bytes
 * before and behind the section are 0.
 */
static bool section_word(const struct flt_unwind_section *s, uint64_t address, uint64_t *word)
{
	unsigned char bytes[sizeof(*word)] = { 0 };
	uint64_t at = address - s->address;
	bool inside = false;
	unsigned int i;

	if (at < s->size && s->size - at >= sizeof(*word)) {
		memcpy(word, s->bytes + at, sizeof(*word));
		return true;
	}
	for (i = 0; i < sizeof(bytes); i++)
		if (at + i < s->size) {
			bytes[i] = s->bytes[at + i];
			inside = true;
		}
	memcpy(word, bytes, sizeof(bytes));
	return inside;
}

static bool read_word(struct libunwind *u, uint64_t address, uint64_t *word)
{
	const struct mapped *m = u->searched;

	if (++u->reads > READS_MAX)
		return false;
	if (flt_unwind_stack_word(u->stack, address, word) ||
	    (m && (section_word(&m->tables->index, address - m->bias, word) ||
		   section_word(&m->tables->frames, address - m->bias, word))))
		return true;
	/*
	 * libunwind reads the address of the handler of C++ exceptions, but does not use it. On
	 * arm64 it reads the code of each frame, to find the end of a signal handler, which the
	 * tables of the vDSO describe, too.
	 */
	*word = 0;
	return u->searching || address == u->ip;
}

static int access_mem(unw_addr_space_t as, unw_word_t address, unw_word_t *word, int write,
		      void *arg)
{
	struct libunwind *u = arg;

	(void)as;
	if (!write && read_word(u, address, word))
		return 0;
	/* Before it guesses, libunwind looks whether the code is that of a PLT. */
	u->failed |= !u->guessed;
	return -UNW_EINVAL;
}

/* libunwind numbers the registers as DWARF does. */
static int access_reg(unw_addr_space_t as, unw_regnum_t number, unw_word_t *word, int write,
		      void *arg)
{
	struct libunwind *u = arg;

	(void)as;
	if (write || number < 0 || number >= FLT_UNWIND_REGS)
		return -UNW_EBADREG;
	*word = u->stack->sample->regs[number];
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t number, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)as;
	(void)number;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t ip, char *name, size_t size,
			 unw_word_t *offset, void *arg)
{
	(void)as;
	(void)ip;
	(void)name;
	(void)size;
	(void)offset;
	(void)arg;
	return -UNW_ENOINFO;
}

static void *libunwind_new(struct flt_unwind_store *store)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = get_proc_name,
	};
	struct libunwind *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->store = store;
	u->space = unw_create_addr_space(&accessors, 0);
	if (!u->space) {
		free(u);
		return NULL;
	}
	unw_set_caching_policy(u->space, UNW_CACHE_GLOBAL);
	return u;
}

static void libunwind_free(void *state)
{
	struct libunwind *u = state;

	unw_destroy_addr_space(u->space);
	if (u->libdw)
		flt_unwind_libdw.free(u->libdw);
	while (u->count)
		free(u->mapped[--u->count].path);
	free(u->mapped);
	free(u);
}

static bool overlaps(const struct mapped *a, const struct mapped *b)
{
	return a->bias + a->tables->low < b->bias + b->tables->high &&
	       b->bias + b->tables->low < a->bias + a->tables->high;
}

/*
 * Programs unmap libraries, and the loader maps other files at the same place. The new file takes
 * the place of all files that it overlaps.
 */
static void libunwind_map(void *state, uint64_t start, uint64_t offset, const char *path)
{
	struct libunwind *u = state;
	struct mapped *grown, new = { .start = start, .offset = offset };
	uint64_t address = 0;
	size_t i, kept = 0;

	if (strcmp(path, FLT_UNWIND_VDSO))
		new.tables = flt_unwind_store_get(u->store, path, offset, &address);
	else if (start >> 32)
		new.tables = flt_unwind_store_vdso(u->store);
	else
		new.tables = NULL;	/* the vDSO of a 32-bit process is another one */
	if (!new.tables)
		return;
	new.bias = start - address;
	for (i = 0; i < u->count; i++)
		if (u->mapped[i].tables == new.tables && u->mapped[i].bias == new.bias)
			return;
	for (i = 0; i < u->count; i++)
		if (!overlaps(&u->mapped[i], &new))
			u->mapped[kept++] = u->mapped[i];
		else
			free(u->mapped[i].path);
	if (kept < u->count)
		unw_flush_cache(u->space, 0, 0);
	u->count = kept;
	grown = reallocarray(u->mapped, u->count + 1, sizeof(*grown));
	if (!grown)
		return;
	u->mapped = grown;
	new.path = strdup(path);
	if (!new.path)
		return;
	u->mapped[u->count++] = new;
	if (u->libdw)
		flt_unwind_libdw.map(u->libdw, start, offset, path);
}

static void *libdw_of(struct libunwind *u)
{
	const struct mapped *m;

	if (u->libdw)
		return u->libdw;
	u->libdw = flt_unwind_libdw.new(u->store);
	for (m = u->mapped; u->libdw && m < u->mapped + u->count; m++)
		flt_unwind_libdw.map(u->libdw, m->start, m->offset, m->path);
	return u->libdw;
}

/* Unwind again by libdw, and take its frames if it finds more. */
static void ask_libdw(struct libunwind *u, struct flt_unwind_stack *stack)
{
	struct flt_unwind_stack other = { .sample = stack->sample, .room = stack->room };
	void *libdw = libdw_of(u);

	other.frames = calloc(other.room, sizeof(*other.frames));
	if (libdw && other.frames) {
		flt_unwind_libdw.run(libdw, &other);
		u->gap->tables->hopeless = other.count <= u->gap_at;
		if (other.count > stack->count || (other.ended && !stack->ended)) {
			memcpy(stack->frames, other.frames, other.count * sizeof(*other.frames));
			stack->count = other.count;
			stack->ended = other.ended;
		}
	}
	free(other.frames);
}

/*
 * Code without a rule, such as that of a JIT compiler or of crtbegin.o, is left by its frame
 * pointer, if libunwind finds the frame plausible. libdw does the same.
 */
static void walk(struct libunwind *u, struct flt_unwind_stack *stack)
{
	unw_cursor_t cursor;
	int ret;

	u->stack = stack;
	u->searched = NULL;
	u->failed = false;
	u->gap = NULL;
	u->reads = 0;
	u->ip = stack->sample->regs[FLT_UNWIND_IP];
	if (unw_init_remote(&cursor, u->space, u))
		return;
	do {
		stack->frames[stack->count++] = u->ip;
		if (stack->count == stack->room)
			return;
		u->guessed = false;
		ret = unw_step(&cursor);
		if (ret > 0 && unw_get_reg(&cursor, UNW_REG_IP, &u->ip))
			u->failed = true;
	} while (ret > 0 && !u->failed);
	stack->ended = !ret && !u->failed && !u->guessed;
}

static void libunwind_run(void *state, struct flt_unwind_stack *stack)
{
	struct libunwind *u = state;

	walk(u, stack);
	if (u->gap && !u->gap->tables->hopeless)
		ask_libdw(u, stack);
}

const struct flt_unwind_library_ops flt_unwind_libunwind = {
	.new = libunwind_new,
	.free = libunwind_free,
	.map = libunwind_map,
	.run = libunwind_run,
};
