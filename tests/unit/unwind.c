// SPDX-License-Identifier: GPL-2.0-or-later
/* unwind.c - stacks of this program by both libraries, compared with backtrace() of libc. */
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#include "source/unwind/tables.h"
#include "source/unwind/unwind.h"

#define ROOM 200
#define STACK_BYTES (256u << 10)

static struct flt_unwind_store *store;
static struct flt_unwind *unwind[2];
static unsigned char stack[STACK_BYTES];
static void *wanted[ROOM];
static volatile int wanted_count;	/* also written in a signal handler */

static const enum flt_unwind_library libraries[] = { FLT_UNWIND_LIBUNWIND, FLT_UNWIND_LIBDW };

static int setup(void **state)
{
	char line[600], perms[8], path[500];
	unsigned long start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "re");
	int i;

	(void)state;
	store = flt_unwind_store_new();
	for (i = 0; i < 2; i++)
		unwind[i] = flt_unwind_new(libraries[i], store);
	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %499s", &start, &end, perms, &offset,
			   path) == 5 && perms[2] == 'x')
			for (i = 0; i < 2; i++)
				flt_unwind_map(unwind[i], start, offset, path);
	return maps ? fclose(maps) : -1;
}

static int teardown(void **state)
{
	(void)state;
	flt_unwind_free(unwind[0]);
	flt_unwind_free(unwind[1]);
	flt_unwind_store_free(store);
	return 0;
}

/* Fill a sample from a context. The kernel copies the stack, past the traps of the sanitizer. */
static void sample_set(struct flt_unwind_sample *s, const ucontext_t *context)
{
	static const int number[FLT_UNWIND_REGS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC), i;
	ssize_t got;

	for (i = 0; i < FLT_UNWIND_REGS; i++)
		s->regs[i] = (uint64_t)context->uc_mcontext.gregs[number[i]];
	got = pread(memory, stack, sizeof(stack), (off_t)s->regs[FLT_UNWIND_SP]);
	assert_true(got > 0);
	s->stack = stack;
	s->size = (size_t)got;
	close(memory);
}

/* Compare the stack of this function with backtrace(). */
__attribute__((noinline)) static void compare_here(void)
{
	struct flt_unwind_sample s;
	uint64_t frames[ROOM];
	ucontext_t context;
	size_t n, k;
	int i, more;

	wanted_count = backtrace(wanted, ROOM);
	getcontext(&context);
	sample_set(&s, &context);
	for (i = 0; i < 2; i++) {
		n = flt_unwind_run(unwind[i], &s, frames, ROOM);
		assert_false(flt_unwind_stopped(unwind[i]));
		/* The sanitizer's backtrace() has a frame of its own. */
		more = wanted_count - (int)n;
		assert_in_range(more, 0, 1);
		for (k = 1; k < n; k++)
			assert_int_equal(frames[k], wanted[k + (size_t)more]);
	}
}

__attribute__((noinline)) static int deep(int n)
{
	volatile int keep = n;

	if (n)
		deep(n - 1);
	else
		compare_here();
	return keep;
}

static void finds_all_callers(void **state)
{
	(void)state;
	deep(40);
	assert_true(wanted_count > 42);
}

static int compare_values(const void *a, const void *b)
{
	static int once;

	if (!once++)
		compare_here();
	return *(const int *)a - *(const int *)b;
}

static void finds_callers_in_other_files(void **state)
{
	int values[] = { 3, 2, 1 };

	(void)state;
	wanted_count = 0;
	qsort(values, 3, sizeof(values[0]), compare_values);
	assert_true(wanted_count > 4);
}

static void on_signal(int sig)
{
	(void)sig;
	compare_here();
}

static void leaves_signal_handlers(void **state)
{
	(void)state;
	wanted_count = 0;
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	assert_true(wanted_count > 4);
}

/* Return the address of the first function of the vDSO, from the index of its unwind table. */
static uint64_t vdso_function(void)
{
	const uint64_t base = getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)base;
	const Elf64_Phdr *p = (const Elf64_Phdr *)(base + header->e_phoff);
	int32_t first;

	while (p->p_type != PT_GNU_EH_FRAME)
		p++;
	memcpy(&first, (const void *)(base + p->p_vaddr + 12), sizeof(first));
	return base + p->p_vaddr + (uint64_t)(int64_t)first;
}

/* At its first instruction, the caller of a function is on top of the stack. */
static void leaves_the_vdso(void **state)
{
	const uint64_t top[] = { 0x123456, 0 };
	struct flt_unwind_sample s = { .stack = top, .size = sizeof(top) };
	uint64_t frames[ROOM];

	(void)state;
	s.regs[FLT_UNWIND_SP] = 0x7ffe00000000;
	s.regs[FLT_UNWIND_IP] = vdso_function();
	assert_true(flt_unwind_run(unwind[0], &s, frames, ROOM) >= 2);
	assert_int_equal(frames[1], top[0]);
}

static void stops_where_the_copy_ends(void **state)
{
	struct flt_unwind_sample s;
	uint64_t frames[ROOM];
	ucontext_t context;
	int i;

	(void)state;
	getcontext(&context);
	sample_set(&s, &context);
	s.size = 0;
	for (i = 0; i < 2; i++) {
		assert_int_equal(flt_unwind_run(unwind[i], &s, frames, ROOM), 1);
		assert_int_equal(frames[0], s.regs[FLT_UNWIND_IP]);
		assert_true(flt_unwind_stopped(unwind[i]));
		assert_int_equal(flt_unwind_run(unwind[i], &s, frames, 0), 0);
	}
}

/*
 * Functions whose tables want to exhaust time or memory. DW_CFA_def_cfa_expression with
 * DW_OP_skip to itself; DW_CFA_remember_state a million times.
 */
void endless(void);
void greedy(void);
__asm__(".text\n"
	".type endless, @function\nendless: .cfi_startproc\n"
	".cfi_escape 0x0f, 3, 0x2f, 0xfd, 0xff\nnop\nret\n.cfi_endproc\n"
	".type greedy, @function\ngreedy: .cfi_startproc\n"
	".rept 1000000\n.cfi_escape 0x0a\n.endr\nnop\nret\n.cfi_endproc\n");

static void ends_hostile_tables(void **state)
{
	void (*const functions[])(void) = { endless, greedy };
	struct flt_unwind_sample s;
	uint64_t frames[ROOM];
	ucontext_t context;
	size_t i;

	(void)state;
	getcontext(&context);
	sample_set(&s, &context);
	for (i = 0; i < 2; i++) {
		s.regs[FLT_UNWIND_IP] = (uint64_t)functions[i];
		assert_int_equal(flt_unwind_run(unwind[0], &s, frames, ROOM), 1);
		assert_true(flt_unwind_stopped(unwind[0]));
	}
}

/* Add the file at the address of the C library, and unwind this function again. */
static void unwind_with_file(const char *path, const struct flt_unwind_sample *s)
{
	uint64_t frames[ROOM];

	flt_unwind_map(unwind[0], s->regs[FLT_UNWIND_IP] & ~0xffful, 0x1000, path);
	flt_unwind_run(unwind[0], s, frames, ROOM);
}

/* The common part of an entry may not be before the table. */
static void ignores_an_entry_with_a_wrong_offset(void **state)
{
	const uint32_t entry[3] = { 8, 8, 0 };
	struct flt_unwind_section made = { 0 }, table = { .size = sizeof(entry) };
	uint8_t *bytes = malloc(sizeof(entry));

	(void)state;
	assert_non_null(bytes);
	memcpy(bytes, entry, sizeof(entry));
	table.bytes = bytes;
	assert_int_equal(flt_unwind_index_make(&made, &table), 0);
	free(bytes);
}

/* The index that is made for static programs equals that of the linker. */
static void makes_the_linkers_index(void **state)
{
	const struct flt_unwind_tables *t;
	struct flt_unwind_section made = { 0 };
	uint64_t address, text;
	Dl_info info;

	(void)state;
	assert_true(dladdr((void *)qsort, &info));
	text = (uint64_t)(uintptr_t)qsort - (uint64_t)(uintptr_t)info.dli_fbase;
	t = flt_unwind_store_get(store, info.dli_fname, text & ~0xfffull, &address);
	assert_non_null(t);
	made.address = t->index.address;
	assert_true(t->entries > 1000);
	assert_int_equal(flt_unwind_index_make(&made, &t->frames), t->entries);
	assert_int_equal(flt_unwind_index_count(&made), t->entries);
	assert_memory_equal(made.bytes + 8, t->index.bytes + 8, made.size - 8);
	free(made.bytes);
}

static void reads_damaged_files(void **state)
{
	char path[] = "/tmp/flt-unwind.XXXXXX", self[] = "/proc/self/exe";
	int fd = mkstemp(path), source = open(self, O_RDONLY | O_CLOEXEC), round, i;
	struct flt_unwind_sample s;
	unsigned char *bytes;
	ucontext_t context;
	struct stat st;
	char *name;

	assert_true(fd >= 0 && source >= 0 && !fstat(source, &st));
	bytes = malloc((size_t)st.st_size);
	getcontext(&context);
	sample_set(&s, &context);
	srand(1);
	for (round = 0; round < 200; round++) {
		assert_int_equal(pread(source, bytes, (size_t)st.st_size, 0), st.st_size);
		/* Headers at first, then anything. */
		for (i = 0; i < 20; i++)
			bytes[rand() % (round < 60 ? 1024 : (int)st.st_size)] = (unsigned char)rand();
		/* Without the linker's index, one is made from the damaged table. */
		if (round % 2 && (name = memmem(bytes, (size_t)st.st_size, ".eh_frame_hdr", 13)))
			memcpy(name, ".no_frame_hdr", 13);
		assert_int_equal(pwrite(fd, bytes, (size_t)st.st_size, 0), st.st_size);
		assert_int_equal(ftruncate(fd, round % 3 ? st.st_size : rand() % st.st_size), 0);
		unwind_with_file(path, &s);
	}
	free(bytes);
	close(source);
	close(fd);
	unlink(path);
	teardown(state);
	setup(state);
}

static void replaces_files(void **state)
{
	struct flt_unwind_sample s;
	uint64_t frames[ROOM];
	ucontext_t context;
	Dl_info info;
	int i;

	(void)state;
	getcontext(&context);
	sample_set(&s, &context);
	assert_true(dladdr((void *)qsort, &info));
	/* The C library is mapped over this program, so this function has no table any more. */
	for (i = 0; i < 2; i++) {
		flt_unwind_map(unwind[i], s.regs[FLT_UNWIND_IP] & ~0xffful, 0x26000,
			       info.dli_fname);
		flt_unwind_run(unwind[i], &s, frames, ROOM);
		assert_int_not_equal(frames[1], wanted[1]);
	}
	teardown(state);
	setup(state);
	finds_all_callers(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_all_callers),
		cmocka_unit_test(finds_callers_in_other_files),
		cmocka_unit_test(leaves_signal_handlers),
		cmocka_unit_test(leaves_the_vdso),
		cmocka_unit_test(stops_where_the_copy_ends),
		cmocka_unit_test(ends_hostile_tables),
		cmocka_unit_test(ignores_an_entry_with_a_wrong_offset),
		cmocka_unit_test(makes_the_linkers_index),
		cmocka_unit_test(reads_damaged_files),
		cmocka_unit_test(replaces_files),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
