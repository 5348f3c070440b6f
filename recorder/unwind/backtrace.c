// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * backtrace.c - unwind a thread that does not run.
 *
 * libunwind and libgcc do not work here: their first steps allocate and take the dynamic
 * linker's lock, which the faulting thread may hold while the server unwinds it. Rules come
 * from cfi.c, registers from the fault. An ordinary thread stack is read directly. Other
 * memory is read through /proc/self/mem, because a stack in the heap may be evicted, or may
 * not be a stack at all. Code without rules, such as code generated at run time, is unwound by
 * the instructions that follow the call, if they can only return (arch/epilogue.h), or else by
 * frame pointers as long as they are plausible.
 */
#include "backtrace.h"

#include "arch/context.h"
#include "arch/epilogue.h"
#include "cfi.h"
#include "cursor.h"
#include "image/image.h"
#include "image/lock.h"
#include "object.h"
#include "probe.h"
#include "region/region.h"
#include "region/shadow.h"

#include <time.h>

/* Guards the caches of cfi.c and object.c. */
static struct rec_lock unwind_lock;

struct reader {
	const struct rec_stack_copy *copy;	/* the only memory to read, or NULL */
	struct rec_stack direct;	/* memory that may be read directly */
	uint64_t at, size;		/* address and bytes of the window */
	uint64_t window[64];		/* copy of other memory */
};

static long read_memory(struct reader *r, uint64_t a)
{
	if (rec_region.memory < 0)
		return -1;
	return sys4(SYS_pread64, rec_region.memory, r->window, sizeof(r->window), a);
}

/* Read a word of the stack. Return false if it cannot be read. */
static bool peek(struct reader *r, uint64_t a, uint64_t *v)
{
	long got;

	if (a & 7)
		return false;
	if (r->copy)
		return rec_stack_copy_read(r->copy, a, v);
	if (a >= r->direct.lo && a + 8 <= r->direct.hi)
		return rec_probe_load((const void *)a, v);
	if (a < r->at || a + 8 > r->at + r->size) {
		got = read_memory(r, a);
		if (got < 8 && rec_region_contains(a))	/* evicted */
			got = read_memory(r, a + rec_shadow.distance);
		if (got < 8)
			return false;
		r->at = a;
		r->size = (uint64_t)got;
	}
	*v = r->window[(a - r->at) / 8];
	return true;
}

/* Return the register with a DWARF number, or NULL. */
static uint64_t *by_number(struct rec_regs *g, unsigned int dwarf)
{
	int i = rec_registers_column(dwarf);

	if (dwarf == REC_DWARF_SP)
		return &g->sp;
	if (dwarf == REC_DWARF_IP)
		return &g->ip;
	return i >= 0 && i < REC_SAVED ? &g->saved[i] : NULL;
}

struct expression {
	struct rec_cursor code;
	uint64_t stack[16];
	unsigned int depth;
};

/* Apply an operation on two values. */
static bool combine(struct expression *x, uint8_t op)
{
	uint64_t b = x->stack[--x->depth], *a = &x->stack[x->depth - 1];

	switch (op) {
	case 0x1a: *a &= b; return true;
	case 0x1c: *a -= b; return true;
	case 0x1e: *a *= b; return true;
	case 0x22: *a += b; return true;
	case 0x24: *a = b < 64 ? *a << b : 0; return true;
	case 0x2a: *a = (int64_t)*a >= (int64_t)b; return true;
	default: return false;
	}
}

/* Execute one of the few operations that compilers and linkers use in CFA expressions. */
static bool execute(struct expression *x, struct reader *r, struct rec_regs *g, uint8_t op)
{
	uint64_t *top = &x->stack[x->depth ? x->depth - 1 : 0], *reg;
	struct rec_cursor *c = &x->code;

	if (op >= 0x30 && op <= 0x4f) {			/* lit */
		x->stack[x->depth++] = op - 0x30u;
	} else if (op >= 0x70 && op <= 0x8f) {		/* breg */
		reg = by_number(g, op - 0x70u);
		if (!reg)
			return false;
		x->stack[x->depth++] = *reg + (uint64_t)rec_cursor_take_leb(c, true);
	} else if (op == 0x08) {			/* const1u */
		x->stack[x->depth++] = rec_cursor_take(c, 1);
	} else if (op == 0x10 || op == 0x11) {		/* constu, consts */
		x->stack[x->depth++] = (uint64_t)rec_cursor_take_leb(c, op == 0x11);
	} else if (op == 0x06 && x->depth) {		/* deref */
		return peek(r, *top, top);
	} else if (op == 0x23 && x->depth) {		/* plus_uconst */
		*top += (uint64_t)rec_cursor_take_leb(c, false);
	} else {
		return x->depth >= 2 && combine(x, op);
	}
	return !c->bad;
}

static bool evaluate(struct reader *r, struct rec_regs *g, const struct rec_row *row, uint64_t *out)
{
	uint8_t code[64];
	struct expression x = { .depth = 0 };

	if (row->expression_size > sizeof(code) ||
	    !rec_object_read_table(row->expression, code, row->expression_size))
		return false;
	x.code = (struct rec_cursor){ .p = code, .end = code + row->expression_size };
	while (x.code.p < x.code.end)
		if (x.depth > 14 || !execute(&x, r, g, (uint8_t)rec_cursor_take(&x.code, 1)))
			return false;
	*out = x.stack[0];
	return x.depth == 1;
}

/* Leave a signal frame. The kernel saved the registers in the ucontext at sp. */
static bool leave_signal(struct reader *r, struct rec_regs *g)
{
	uint64_t base = g->sp + REC_CONTEXT_OFFSET;

	for (int i = 0; i < REC_SAVED; i++)
		if (!peek(r, base + rec_context_place[i], &g->saved[i]))
			return false;
	return peek(r, base + rec_context_place[REC_SAVED], &g->sp) &&
	       peek(r, base + rec_context_place[REC_SAVED + 1], &g->ip);
}

static bool leave_frame_pointer(struct reader *r, struct rec_regs *g)
{
	uint64_t fp = g->saved[REC_FP], caller, ip;

	if (fp < g->sp || fp - g->sp > (1u << 20) || !peek(r, fp, &caller) ||
	    !peek(r, fp + 8, &ip) || ip < FLT_PAGE_MIN)
		return false;
	g->sp = fp + 16;
	g->saved[REC_FP] = caller;
	g->ip = rec_registers_return(ip);
	return true;
}

/* Leave a function that does nothing but return after its call. */
static bool leave_epilogue(struct reader *r, struct rec_regs *g)
{
	struct rec_regs old = *g;
	struct rec_epilogue e;
	uint8_t code[32];
	uint64_t ip;

	if (!rec_object_read(g->ip, code, sizeof(code)) ||
	    !rec_epilogue_decode(code, sizeof(code), &e) ||
	    !peek(r, g->sp + (uint64_t)e.saved[REC_RETURN], &ip) || ip < FLT_PAGE_MIN)
		return false;
	for (int i = 0; i < REC_SAVED; i++)
		if (e.saved[i] != REC_EPILOGUE_KEPT &&
		    !peek(r, old.sp + (uint64_t)e.saved[i], &g->saved[i])) {
			*g = old;
			return false;
		}
	g->sp = old.sp + (uint64_t)e.size;
	g->ip = rec_registers_return(ip);
	return true;
}

/* Leave a function without tables. called: g->ip is a return address. */
static bool leave_unknown(struct reader *r, struct rec_regs *g, bool called, bool *exact)
{
	uint64_t code;

	if (REC_CONTEXT_CODE && called && rec_object_read(g->ip, &code, sizeof(code)) &&
	    code == REC_CONTEXT_CODE) {
		*exact = true;
		return leave_signal(r, g);
	}
	return (called && leave_epilogue(r, g)) || leave_frame_pointer(r, g);
}

/* Compute the CFA of a row. Return false if a register or a word is not known. */
static bool find_cfa(struct reader *r, struct rec_regs *g, const struct rec_row *row, uint64_t *cfa)
{
	uint64_t *reg;

	if (row->expression)
		return evaluate(r, g, row, cfa);
	reg = by_number(g, row->cfa_register);
	if (reg)
		*cfa = *reg + (uint64_t)(int64_t)row->cfa_offset;
	return reg;
}

/* Leave a function by its row. *end: see step(). */
static bool leave_row(struct reader *r, struct rec_regs *g, const struct rec_row *row, bool called,
		      bool *end)
{
	bool linked = REC_HAS_LINK && row->saved[REC_RETURN] == REC_SAME;
	struct rec_regs caller = *g;
	uint64_t cfa, base;

	if (linked && called) {
		/* The call has changed the link, so there is no caller. A zero says so, too. */
		*end = !g->saved[REC_FP];
		return false;
	}
	/* Stacks grow down. Only the frame of a function that has saved nothing is empty. */
	if (!find_cfa(r, g, row, &cfa) || cfa < g->sp || (cfa == g->sp && !linked))
		return false;
	for (int i = 0; i < REC_SAVED; i++) {
		if (row->saved[i] == REC_SAME)
			continue;
		base = row->by_fp >> i & 1 ? g->saved[REC_FP] : cfa;
		if (!peek(r, base + (uint64_t)(int64_t)row->saved[i], &caller.saved[i]))
			return false;
	}
	if (REC_HAS_LINK)
		caller.ip = rec_registers_link(&caller);
	else if (!peek(r, cfa + (uint64_t)(int64_t)row->saved[REC_RETURN], &caller.ip))
		return false;
	caller.sp = cfa;
	*g = caller;
	*end = !g->ip;
	return g->ip != 0;
}

/*
 * Go on to the caller. *exact: g->ip is the address of an instruction, not a return address.
 * *end: the outermost frame was reached.
 */
static bool step(struct reader *r, struct rec_regs *g, bool *exact, bool *end)
{
	const struct rec_row *row = rec_cfi_row(*exact ? g->ip : g->ip - 1);
	bool called = !*exact;

	*exact = false;
	*end = false;
	switch (row->kind) {
	case REC_ROW_END:
		*end = true;
		return false;
	case REC_ROW_SIGNAL:
		*exact = true;
		return leave_signal(r, g);
	case REC_ROW_REFUSED:
		return false;
	case REC_ROW_NONE:
		return leave_unknown(r, g, called, exact);
	default:
		return leave_row(r, g, row, called, end);
	}
}

/*
 * Take the lock of the caches. Give up after 3 ms, because the owner may wait in a fault itself,
 * if its signal stack is in the heap. The server could not serve that fault if it waited here, or
 * if the caller has the pager lock.
 */
static bool take_caches_briefly(uint32_t tid)
{
	struct timespec nap = { .tv_nsec = 50000 };

	for (int i = 0; i < 60; i++) {
		if (rec_lock_try(&unwind_lock, tid))
			return true;
		sys2(SYS_nanosleep, &nap, 0);
	}
	return false;
}

/*
 * Add the callers' frames to `out`. copy: NULL to read the thread's own memory. Return 0 or the
 * reason why the backtrace is truncated.
 */
static uint8_t unwind(struct rec_backtrace *out, unsigned int most, struct rec_regs *g,
		      struct rec_stack stack, const struct rec_stack_copy *copy)
{
	struct reader r = { .copy = copy };
	bool exact = true, end = false, was_exact;
	uint64_t sp;

	if (g->sp >= stack.lo && g->sp < stack.hi)
		r.direct = (struct rec_stack){ g->sp, stack.hi };
	for (;;) {
		sp = g->sp;
		was_exact = REC_HAS_LINK && exact;
		if (!step(&r, g, &exact, &end)) {
			/* The outermost frame of a stack has no rule. */
			if (end || (stack.hi && g->sp + 64 >= stack.hi && g->sp <= stack.hi))
				return 0;
			return FLT_RING_F_UNWIND;
		}
		/* Only the innermost frame, or that below a signal frame, may be empty. */
		if (g->sp == sp && !exact && !was_exact)
			return FLT_RING_F_UNWIND;
		if (out->count >= most)
			return FLT_RING_F_DEPTH;
		out->frame[out->count++] = g->ip;
		/* After a signal frame the stack may be another one. */
		if (g->sp < r.direct.lo || g->sp >= r.direct.hi)
			r.direct = (struct rec_stack){ 0 };
	}
}

/* Take a backtrace, and release the lock of the caches if the caller could take it. */
static uint8_t take(struct rec_backtrace *out, const struct rec_regs *regs, struct rec_stack stack,
		    const struct rec_stack_copy *copy, bool locked)
{
	unsigned int most = rec_image.config.max_stack;
	struct rec_regs g = *regs;
	uint8_t truncated;

	if (most > REC_BACKTRACE_MAX)
		most = REC_BACKTRACE_MAX;
	out->count = 0;
	/* After a call of a null pointer, ip has no frame of its own. */
	if (most)
		out->frame[out->count++] = g.ip;
	if (!locked)
		return FLT_RING_F_UNWIND;
	truncated = unwind(out, most, &g, stack, copy);
	rec_lock_release(&unwind_lock);
	return truncated;
}

uint8_t rec_backtrace_take(struct rec_backtrace *out, const struct rec_regs *regs,
			   struct rec_stack stack, uint32_t tid)
{
	bool locked = true;

	if (tid)
		rec_lock_take(&unwind_lock, tid);
	else
		locked = take_caches_briefly((uint32_t)rec_image.server_pid);
	return take(out, regs, stack, NULL, locked);
}

uint8_t rec_backtrace_take_copy(struct rec_backtrace *out, const struct rec_regs *regs,
				struct rec_stack stack, const struct rec_stack_copy *copy,
				uint32_t tid)
{
	return take(out, regs, stack, copy, take_caches_briefly(tid));
}

void rec_backtrace_reset(void)
{
	unwind_lock.word = 0;
}
