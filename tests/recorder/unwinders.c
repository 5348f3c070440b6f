// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwinders.c LIBRARY... - compare the recorder's unwinder with libunwind and libdw.
 *
 * Each function of each library is left from seven of its instructions. Registers and stack are
 * synthetic: each register points into the stack, and each word of the stack is unique. So the
 * caller's registers tell which words were read. libunwind, in its local form, gives all registers
 * that the recorder tracks; libdw, and libunwind over a copy of the stack, give the return address.
 *
 * The recorder may refuse an instruction, but must not leave it in a wrong way. Exit with status 1
 * if a result is wrong, or if more than 1 in 1,000 instructions are refused.
 */
#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <fcntl.h>
#include <libunwind.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* step() is static. */
#include "recorder/unwind/backtrace.c"

#include "source/unwind/tables.h"
#include "source/unwind/unwind.h"

struct rec_image rec_image;
struct flt_region rec_region;
struct rec_shadow rec_shadow;

bool rec_probe_load(const void *from, uint64_t *word)
{
	memcpy(word, from, sizeof(*word));
	return true;
}

#define REGION_WORDS 8192u	/* between the values of two registers */
#define STACK_WORDS ((FLT_UNWIND_REGS + 15u) * REGION_WORDS)
#define SP_WORD 1024u		/* words below the stack pointer */
#define INSTRUCTIONS 7

static uint64_t *stack, *values;

/* A word of the stack points into `values`, because some rules read memory at saved registers. */
static void memory_new(void)
{
	const size_t size = STACK_WORDS * sizeof(*stack);
	size_t i;

	stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	values = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || values == MAP_FAILED) {
		perror("unwinders: cannot map memory");
		exit(1);
	}
	for (i = 0; i < STACK_WORDS; i++) {
		stack[i] = (uint64_t)&values[i];
		values[i] = i;
	}
}

struct library {
	const char *name;
	uint64_t bias, hdr;	/* hdr: address of .eh_frame_hdr */
};

static int library_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct library *l = arg;
	const char *base = strrchr(info->dlpi_name, '/');
	int i;

	(void)size;
	if (strcmp(base ? base + 1 : info->dlpi_name, l->name))
		return 0;
	l->name = info->dlpi_name;
	l->bias = info->dlpi_addr;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			l->hdr = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	return 1;
}

/* The two unwinders of fltctl. */
struct others {
	struct flt_unwind_store *store;
	struct flt_unwind *libdw, *libunwind;
};

/* Add the mappings of this process. */
static void others_map(struct others *o)
{
	char line[512], perms[8], path[400];
	unsigned long start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "re");

	o->store = flt_unwind_store_new();
	o->libdw = flt_unwind_new(FLT_UNWIND_LIBDW, o->store);
	o->libunwind = flt_unwind_new(FLT_UNWIND_LIBUNWIND, o->store);
	if (!maps) {
		perror("unwinders: cannot read /proc/self/maps");
		exit(1);
	}
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %399s", &start, &end, perms, &offset,
			   path) == 5 && perms[2] == 'x') {
			flt_unwind_map(o->libdw, start, offset, path);
			flt_unwind_map(o->libunwind, start, offset, path);
		}
	fclose(maps);
}

struct tally {
	unsigned long tried, outermost, refused, no_oracle, wrong;
};

/* Set the registers of a context, which have the numbers of DWARF. */
static void context_set(ucontext_t *context, const uint64_t *dwarf)
{
#ifdef __x86_64__
	static const int number[FLT_UNWIND_REGS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};

	for (int i = 0; i < FLT_UNWIND_REGS; i++)
		context->uc_mcontext.gregs[number[i]] = (greg_t)dwarf[i];
#else
	memcpy(context->uc_mcontext.regs, dwarf, sizeof(context->uc_mcontext.regs));
	context->uc_mcontext.sp = dwarf[FLT_UNWIND_SP];
	context->uc_mcontext.pc = dwarf[FLT_UNWIND_IP];
#endif
}

/* Set a thread at an instruction. */
static void thread_set(struct rec_regs *g, ucontext_t *context, uint64_t *dwarf, uint64_t ip)
{
	unsigned int i;
	int column;

	for (i = 0; i < FLT_UNWIND_REGS; i++) {
		/* All others are above the stack pointer, so that each can be a frame's base. */
		dwarf[i] = i == FLT_UNWIND_SP ? (uint64_t)&stack[SP_WORD] :
			   i == FLT_UNWIND_IP ? ip : (uint64_t)&stack[(i + 10u) * REGION_WORDS];
		column = rec_registers_column(i);
		if (column >= 0 && column < REC_SAVED)
			g->saved[column] = dwarf[i];
	}
	g->ip = ip;
	g->sp = dwarf[FLT_UNWIND_SP];
	context_set(context, dwarf);
}

static uint64_t get(unw_cursor_t *c, int number)
{
	unw_word_t value = 0;

	unw_get_reg(c, number, &value);
	return value;
}

/* The numbers of libunwind are those of DWARF. */
static void oracle_get(unw_cursor_t *c, struct rec_regs *g)
{
	int column;

	for (int i = 0; i < FLT_UNWIND_REGS; i++) {
		column = rec_registers_column((unsigned int)i);
		if (column >= 0 && column < REC_SAVED)
			g->saved[column] = get(c, i);
	}
	g->ip = get(c, UNW_REG_IP);
	g->sp = get(c, UNW_REG_SP);
}

static bool is_equal(const struct rec_regs *a, const struct rec_regs *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static void print(const char *name, const struct rec_regs *g)
{
	printf("    %s: ip %lx sp %lx", name, g->ip, g->sp);
	for (int i = 0; i < REC_SAVED; i++)
		printf(" %lx", g->saved[i]);
	putchar('\n');
}

/* Return the caller by an unwinder of fltctl: 0 at the outermost frame, 1 if it is unknown. */
static uint64_t caller_by(struct flt_unwind *u, const uint64_t *regs)
{
	struct flt_unwind_sample sample = {
		.stack = &stack[SP_WORD], .size = (STACK_WORDS - SP_WORD) * sizeof(*stack),
	};
	uint64_t frames[2];
	size_t n;

	memcpy(sample.regs, regs, sizeof(sample.regs));
	n = flt_unwind_run(u, &sample, frames, 2);
	return n == 2 ? frames[1] : flt_unwind_stopped(u) ? 1 : 0;
}

static void instruction_try(const struct others *o, struct tally *t, const struct library *l,
			    uint64_t ip)
{
	struct reader r = { .direct = { (uintptr_t)stack, (uintptr_t)(stack + STACK_WORDS) } };
	uint64_t dwarf[FLT_UNWIND_REGS], by_libdw, by_libunwind, wanted;
	bool exact = true, end, stepped;
	struct rec_regs g, oracle;
	static ucontext_t context;
	unw_cursor_t c;
	int ret;

	thread_set(&g, &context, dwarf, ip);
	stepped = step(&r, &g, &exact, &end);
	t->tried++;
	/* On arm64 libunwind has a type of its own, with the same members. */
	if (unw_init_local2(&c, (unw_context_t *)&context, UNW_INIT_SIGNAL_FRAME) ||
	    (ret = unw_step(&c)) < 0) {
		t->no_oracle++;
		return;
	}
	by_libdw = caller_by(o->libdw, dwarf);
	by_libunwind = caller_by(o->libunwind, dwarf);
	oracle_get(&c, &oracle);
	wanted = ret ? oracle.ip : 0;
	t->outermost += !ret;
	t->refused += !stepped && !end;
	if ((ret ? stepped && !is_equal(&g, &oracle) : stepped) ||
	    (end && ret) || by_libdw != wanted || by_libunwind != wanted) {
		if (t->wrong++ < 10) {
			printf("  %s+%lx: step %d, end %d, oracle %d, libdw %lx, libunwind %lx\n",
			       l->name, ip - l->bias, stepped, end, ret, by_libdw, by_libunwind);
			print("recorder", &g);
			print("oracle", &oracle);
		}
	}
}

/* Read the range of a function from its FDE, whose pointers are relative 32-bit numbers. */
static void fde_range(uint64_t fde, uint64_t *start, uint64_t *size)
{
	int32_t relative;
	uint32_t length;

	memcpy(&relative, (const void *)(fde + 8), sizeof(relative));
	memcpy(&length, (const void *)(fde + 12), sizeof(length));
	*start = fde + 8 + (uint64_t)(int64_t)relative;
	*size = length;
}

static unsigned long library_try(const struct others *o, const struct library *l, struct tally *t)
{
	const int32_t *entry = (const int32_t *)(l->hdr + 12);
	uint64_t start, size, i, k;
	uint32_t count;

	memcpy(&count, (const void *)(l->hdr + 8), sizeof(count));
	for (i = 0; i < count; i++) {
		fde_range(l->hdr + (uint64_t)(int64_t)entry[2 * i + 1], &start, &size);
		const uint64_t at[INSTRUCTIONS] = { 0, 1, 4, size / 4, size / 2, size / 4 * 3,
						    size - 1 };

		for (k = 0; k < INSTRUCTIONS; k++)
			if (at[k] < size)
				instruction_try(o, t, l, start + at[k]);
	}
	return count;
}

/*
 * Another object may be loaded where one was unloaded. Simulate that by an index with another head
 * and no FDE for the first function. Return true if the blocks of the old index are still used.
 */
static bool uses_old_tables(const struct library *l)
{
	const uint64_t page = l->hdr & ~(FLT_PAGE - 1);
	int32_t *entry = (int32_t *)(l->hdr + 12), *head = (int32_t *)(l->hdr + 4), old;
	uint64_t start, size;
	bool wrong;

	fde_range(l->hdr + (uint64_t)(int64_t)entry[1], &start, &size);
	if (mprotect((void *)page, 2 * FLT_PAGE, PROT_READ | PROT_WRITE)) {
		perror("unwinders: cannot change the index");
		return true;
	}
	/* Addresses that were not looked up before, so that no row is kept. */
	wrong = rec_cfi_row(start + 2)->kind != REC_ROW_CFA;
	old = entry[1];
	entry[1] = 0;
	++*head;
	wrong |= rec_cfi_row(start + 3)->kind != REC_ROW_NONE;
	entry[1] = old;
	--*head;
	wrong |= rec_cfi_row(start + 5)->kind != REC_ROW_CFA;
	if (wrong)
		printf("%s: the tables of an object that was unloaded are used\n", l->name);
	return wrong;
}

int main(int argc, char **argv)
{
	struct library libraries[16] = { { 0 } };
	struct others others;
	int i, failed = argc < 2 || argc > 16;
	unsigned long functions;

	memory_new();
	rec_region.memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	for (i = 1; i < argc && !failed; i++) {
		libraries[i].name = argv[i];
		if (!dlopen(argv[i], RTLD_LAZY)) {
			fprintf(stderr, "unwinders: %s\n", dlerror());
			return 1;
		}
		dl_iterate_phdr(library_find, &libraries[i]);
		failed |= !libraries[i].hdr;
	}
	others_map(&others);
	for (i = 1; i < argc && libraries[i].hdr; i++) {
		struct tally t = { 0 };

		functions = library_try(&others, &libraries[i], &t);
		printf("%s: %lu functions, %lu instructions, %lu outermost, %lu refused, "
		       "%lu unknown to libunwind, %lu wrong\n", argv[i], functions, t.tried,
		       t.outermost, t.refused, t.no_oracle, t.wrong);
		failed |= t.wrong || t.tried < 1000 || t.refused * 1000 > t.tried ||
			  t.no_oracle * 1000 > t.tried;
	}
	failed |= !failed && uses_old_tables(&libraries[1]);
	flt_unwind_free(others.libdw);
	flt_unwind_free(others.libunwind);
	flt_unwind_store_free(others.store);
	return failed;
}
