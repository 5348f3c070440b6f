// SPDX-License-Identifier: GPL-2.0-or-later
/* libdw.c - unwind by libdwfl of elfutils, over a copy of the stack. */
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/unwind/library.h"

struct libdw {
	Dwfl *dwfl;
	bool attached;
	/* of the current run */
	struct flt_unwind_stack *stack;
	bool failed;		/* a word of the last frame is not in the copy */
};

/* libdwfl needs the id of a process and its thread, but the callbacks below ignore the id. */
#define ANY_PID 1

static char *debug_path;	/* NULL: libdwfl's default */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.debuginfo_path = &debug_path,
};

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	struct libdw *u = arg;

	(void)dwfl;
	if (*thread)
		return 0;
	*thread = u;
	return ANY_PID;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = arg;
	return true;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *arg)
{
	struct libdw *u = arg;

	(void)dwfl;
	if (flt_unwind_stack_word(u->stack, address, result))
		return true;
	u->failed = true;
	return false;
}

static bool initial_registers(Dwfl_Thread *thread, void *arg)
{
	struct libdw *u = arg;
	Dwarf_Word regs[FLT_UNWIND_REGS];
	size_t i;

	for (i = 0; i < FLT_UNWIND_REGS; i++)
		regs[i] = u->stack->sample->regs[i];
#ifdef __aarch64__
	/* The instruction pointer is not one of the numbered registers, as it is on x86-64. */
	dwfl_thread_state_register_pc(thread, regs[FLT_UNWIND_IP]);
	return dwfl_thread_state_registers(thread, 0, FLT_UNWIND_IP, regs);
#else
	return dwfl_thread_state_registers(thread, 0, FLT_UNWIND_REGS, regs);
#endif
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = initial_registers,
};

static void *libdw_new(struct flt_unwind_store *store)
{
	struct libdw *u = calloc(1, sizeof(*u));

	(void)store;
	if (!u)
		return NULL;
	u->dwfl = dwfl_begin(&callbacks);
	if (!u->dwfl) {
		free(u);
		return NULL;
	}
	dwfl_report_begin(u->dwfl);
	dwfl_report_end(u->dwfl, NULL, NULL);
	return u;
}

static void libdw_free(void *state)
{
	struct libdw *u = state;

	dwfl_end(u->dwfl);
	free(u);
}

struct extent {
	const char *name;
	Dwarf_Addr low, high;
};

struct extents {
	uint64_t gone;		/* leave out the module at this address */
	struct extent *all;
	size_t count;
	bool failed;
};

static int extent_add(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr low, void *arg)
{
	struct extents *e = arg;
	struct extent *grown;
	Dwarf_Addr high;

	(void)data;
	dwfl_module_info(module, NULL, NULL, &high, NULL, NULL, NULL, NULL);
	if (e->gone >= low && e->gone < high)
		return DWARF_CB_OK;
	grown = reallocarray(e->all, e->count + 1, sizeof(*grown));
	e->failed |= !grown;
	if (!grown)
		return DWARF_CB_ABORT;
	e->all = grown;
	e->all[e->count++] = (struct extent){ name, low, high };
	return DWARF_CB_OK;
}

/* Remove the module at start. libdwfl keeps modules that are reported again unchanged. */
static void forget(struct libdw *u, uint64_t start)
{
	struct extents e = { .gone = start };
	size_t i;

	dwfl_getmodules(u->dwfl, extent_add, &e, 0);
	if (!e.failed) {
		dwfl_report_begin(u->dwfl);
		for (i = 0; i < e.count; i++)
			dwfl_report_module(u->dwfl, e.all[i].name, e.all[i].low, e.all[i].high);
		dwfl_report_end(u->dwfl, NULL, NULL);
	}
	free(e.all);
}

/*
 * Return true if this file is known to be at start. Remove a file that was there before: programs
 * unmap libraries, and the loader maps other files at the same place.
 */
static bool is_known(struct libdw *u, uint64_t start, const char *path)
{
	Dwfl_Module *module = dwfl_addrmodule(u->dwfl, start);

	if (!module)
		return false;
	if (!strcmp(dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL), path))
		return true;
	forget(u, start);
	return false;
}

static void libdw_map(void *state, uint64_t start, uint64_t offset, const char *path)
{
	struct libdw *u = state;

	/* libdwfl wants a file. It leaves the vDSO by its frame pointer. */
	if (!strcmp(path, FLT_UNWIND_VDSO) || is_known(u, start, path))
		return;
	dwfl_report_begin_add(u->dwfl);
	dwfl_report_elf(u->dwfl, path, path, -1, start - offset, false);
	dwfl_report_end(u->dwfl, NULL, NULL);
}

static int frame_take(Dwfl_Frame *frame, void *arg)
{
	struct libdw *u = arg;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	u->stack->frames[u->stack->count++] = pc;
	u->failed = false;
	return u->stack->count < u->stack->room ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static void libdw_run(void *state, struct flt_unwind_stack *stack)
{
	struct libdw *u = state;

	u->stack = stack;
	/* libdwfl takes the machine from a module, so this fails before the first mapping. */
	if (!u->attached)
		u->attached = dwfl_attach_state(u->dwfl, NULL, ANY_PID, &thread_callbacks, u);
	u->failed = false;
	/* A return address that cannot be read is, to libdwfl, the end of the stack. */
	if (u->attached)
		stack->ended = !dwfl_getthread_frames(u->dwfl, ANY_PID, frame_take, u) &&
			       !u->failed;
}

const struct flt_unwind_library_ops flt_unwind_libdw = {
	.new = libdw_new,
	.free = libdw_free,
	.map = libdw_map,
	.run = libdw_run,
};
