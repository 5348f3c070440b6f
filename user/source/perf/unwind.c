// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/perf/unwind.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct flt_unwind {
	Dwfl *dwfl;
	pid_t pid;
	bool attached, stopped;
	/* the sample at hand */
	const uint64_t *regs;
	const unsigned char *stack;
	size_t size;
	uint64_t *frames;
	size_t count, room;
};

#define REG_SP 7
/* Of an image that is known by what is mapped only: any, it is not looked at. */
#define NO_PID 1

static char *debug_path;	/* libdwfl's default */

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
	return u->pid;
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
	uint64_t sp = u->regs[REG_SP], at = address - sp;

	(void)dwfl;
	if (address < sp || u->size < sizeof(*result) || at > u->size - sizeof(*result))
		return false;
	memcpy(result, u->stack + at, sizeof(*result));
	return true;
}

static bool initial_registers(Dwfl_Thread *thread, void *arg)
{
	struct flt_unwind *u = arg;
	Dwarf_Word regs[FLT_UNWIND_REGS];
	size_t i;

	for (i = 0; i < FLT_UNWIND_REGS; i++)
		regs[i] = u->regs[i];
	return dwfl_thread_state_registers(thread, 0, FLT_UNWIND_REGS, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = initial_registers,
};

struct flt_unwind *flt_unwind_new(uint32_t pid)
{
	struct flt_unwind *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->pid = pid ? (pid_t)pid : NO_PID;
	u->dwfl = dwfl_begin(&callbacks);
	if (!u->dwfl) {
		free(u);
		return NULL;
	}
	dwfl_report_begin(u->dwfl);
	if (pid)
		dwfl_linux_proc_report(u->dwfl, u->pid);
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
	uint64_t gone;		/* leaves out what is mapped there */
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

/* A module that is reported again as it was is kept with all that is known of it. */
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
 * What /proc showed may be gone, and a library be where it was: the loader's cache,
 * which is mapped while a program starts, is the usual case.
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

	/* Known already from /proc, or no file to read. */
	if (path[0] != '/' || path[1] == '/' || stat(path, &st) || !S_ISREG(st.st_mode) || is_known(u, start, path))
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

void flt_unwind_regs(uint64_t regs[FLT_UNWIND_REGS], const uint64_t *perf)
{
	static const unsigned char from[] = { 0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8 };
	size_t i;

	for (i = 0; i < FLT_UNWIND_REGS; i++)
		regs[i] = perf[from[i]];
}

size_t flt_unwind_run(struct flt_unwind *u, const uint64_t *regs, const void *stack, size_t size, uint64_t *frames, size_t room)
{
	u->regs = regs;
	u->stack = stack;
	u->size = size;
	u->frames = frames;
	u->count = 0;
	u->room = room;
	u->stopped = true;
	/* The machine is taken from a module: there is none before the first map. */
	if (!u->attached)
		u->attached = dwfl_attach_state(u->dwfl, NULL, u->pid, &thread_callbacks, u);
	if (u->attached && room)
		u->stopped = dwfl_getthread_frames(u->dwfl, u->pid, frame_take, u) != 0;
	return u->count;
}

bool flt_unwind_stopped(const struct flt_unwind *u)
{
	return u->stopped;
}
