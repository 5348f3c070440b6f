// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/unwind/unwind.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct flt_unwind {
	Dwfl *dwfl;
	bool attached, stopped;
	/* of the current run */
	const struct flt_unwind_sample *sample;
	uint64_t *frames;
	size_t count, room;
};

#define REG_SP 7
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
	struct flt_unwind *u = arg;

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
	struct flt_unwind *u = arg;
	const struct flt_unwind_sample *s = u->sample;
	uint64_t sp = s->regs[REG_SP], at = address - sp;

	(void)dwfl;
	if (address < sp || s->size < sizeof(*result) || at > s->size - sizeof(*result))
		return false;
	memcpy(result, (const unsigned char *)s->stack + at, sizeof(*result));
	return true;
}

static bool initial_registers(Dwfl_Thread *thread, void *arg)
{
	struct flt_unwind *u = arg;
	Dwarf_Word regs[FLT_UNWIND_REGS];
	size_t i;

	for (i = 0; i < FLT_UNWIND_REGS; i++)
		regs[i] = u->sample->regs[i];
	return dwfl_thread_state_registers(thread, 0, FLT_UNWIND_REGS, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = initial_registers,
};

struct flt_unwind *flt_unwind_new(void)
{
	struct flt_unwind *u = calloc(1, sizeof(*u));

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

void flt_unwind_free(struct flt_unwind *u)
{
	if (!u)
		return;
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
static void forget(struct flt_unwind *u, uint64_t start)
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
static bool is_known(struct flt_unwind *u, uint64_t start, const char *path)
{
	Dwfl_Module *module = dwfl_addrmodule(u->dwfl, start);

	if (!module)
		return false;
	if (!strcmp(dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL), path))
		return true;
	forget(u, start);
	return false;
}

void flt_unwind_map(struct flt_unwind *u, uint64_t start, uint64_t offset, const char *path)
{
	struct stat st;

	if (path[0] != '/' || path[1] == '/' || stat(path, &st) || !S_ISREG(st.st_mode) ||
	    is_known(u, start, path))
		return;
	dwfl_report_begin_add(u->dwfl);
	dwfl_report_elf(u->dwfl, path, path, -1, start - offset, false);
	dwfl_report_end(u->dwfl, NULL, NULL);
}

static int frame_take(Dwfl_Frame *frame, void *arg)
{
	struct flt_unwind *u = arg;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	u->frames[u->count++] = pc;
	return u->count < u->room ? DWARF_CB_OK : DWARF_CB_ABORT;
}

size_t flt_unwind_run(struct flt_unwind *u, const struct flt_unwind_sample *sample,
		      uint64_t *frames, size_t room)
{
	u->sample = sample;
	u->frames = frames;
	u->count = 0;
	u->room = room;
	u->stopped = true;
	/* libdwfl takes the machine from a module, so this fails before the first mapping. */
	if (!u->attached)
		u->attached = dwfl_attach_state(u->dwfl, NULL, ANY_PID, &thread_callbacks, u);
	if (u->attached && room)
		u->stopped = dwfl_getthread_frames(u->dwfl, ANY_PID, frame_take, u) != 0;
	return u->count;
}

bool flt_unwind_stopped(const struct flt_unwind *u)
{
	return u->stopped;
}
