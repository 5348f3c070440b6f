// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * backtrace.c - unwind a thread that does not run.
 *
 * libunwind and libgcc do not work here: their first steps allocate and take the dynamic
 * linker's lock, which the faulting thread may hold while the server unwinds it. Rules come
 * from cfi.c, registers from the fault. An ordinary thread stack is read directly. Other
 * memory is read through /proc/self/mem, because a stack in the heap may be evicted, or may
 * not be a stack at all. Code without rules, such as code generated at run time, is unwound by
 * the instructions that follow the call, if they can only return (epilogue.c), or else by frame
 * pointers as long as they are plausible.
 */
#include "backtrace.h"

#include "cfi.h"
#include "cursor.h"
#include "epilogue.h"
#include "image/image.h"
#include "image/lock.h"
#include "object.h"
#include "probe.h"
#include "region/region.h"
#include "region/shadow.h"

/* Guards the caches of cfi.c and object.c. */
static struct rec_lock unwind_lock;

struct reader {
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
	switch (dwarf) {
	case 3: return &g->bx;
	case 6: return &g->bp;
	case 7: return &g->sp;
	case 12: return &g->r12;
	case 13: return &g->r13;
	case 14: return &g->r14;
	case 15: return &g->r15;
	case 16: return &g->ip;
	default: return NULL;	/* not tracked, although stack realignment uses r10 */
	}
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
	static const uint8_t place[8] = { 4, 5, 6, 7, 10, 11, 15, 16 };
	uint64_t *to[8] = { &g->r12, &g->r13, &g->r14, &g->r15, &g->bp, &g->bx, &g->sp, &g->ip };
	uint64_t base = g->sp + 40;

	for (int i = 0; i < 8; i++)
		if (!peek(r, base + place[i] * 8u, to[i]))
			return false;
	return true;
}

static bool leave_frame_pointer(struct reader *r, struct rec_regs *g)
{
	uint64_t bp, ip;

	if (g->bp < g->sp || g->bp - g->sp > (1u << 20) || !peek(r, g->bp, &bp) ||
	    !peek(r, g->bp + 8, &ip) || ip < FLT_PAGE_MIN)
		return false;
	g->sp = g->bp + 16;
	g->bp = bp;
	g->ip = ip;
	return true;
}

/* Leave a function that does nothing but return after its call. */
static bool leave_epilogue(struct reader *r, struct rec_regs *g)
{
	static const uint8_t number[6] = { 3, 5, 12, 13, 14, 15 };
	uint64_t *to[6] = { &g->bx, &g->bp, &g->r12, &g->r13, &g->r14, &g->r15 };
	struct rec_regs old = *g;
	struct rec_epilogue e;
	uint8_t code[32];
	uint64_t ip;

	if (!rec_object_read(g->ip, code, sizeof(code)) ||
	    !rec_epilogue_decode(code, sizeof(code), &e) ||
	    !peek(r, g->sp + (uint64_t)e.return_offset, &ip) || ip < FLT_PAGE_MIN)
		return false;
	for (int i = 0; i < 6; i++)
		if (e.saved[number[i]] != REC_EPILOGUE_KEPT &&
		    !peek(r, old.sp + (uint64_t)e.saved[number[i]], to[i])) {
			*g = old;
			return false;
		}
	g->sp = old.sp + (uint64_t)e.return_offset + 8;
	g->ip = ip;
	return true;
}

/*
 * Go on to the caller. *exact: g->ip is the address of an instruction, not a return address.
 * *end: the outermost frame was reached.
 */
static bool step(struct reader *r, struct rec_regs *g, bool *exact, bool *end)
{
	const struct rec_row *row = rec_cfi_row(*exact ? g->ip : g->ip - 1);
	static const uint8_t number[6] = { 3, 6, 12, 13, 14, 15 };
	bool called = !*exact;
	struct rec_regs caller;
	uint64_t cfa, *reg;

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
		return (called && leave_epilogue(r, g)) || leave_frame_pointer(r, g);
	}
	if (row->expression) {
		if (!evaluate(r, g, row, &cfa))
			return false;
	} else {
		reg = by_number(g, row->cfa_register);
		if (!reg)
			return false;
		cfa = *reg + (uint64_t)(int64_t)row->cfa_offset;
	}
	if (cfa <= g->sp)
		return false;	/* stacks grow down, so this frame is invalid */
	caller = *g;
	for (int i = 0; i < 6; i++)
		if (row->saved[i] != REC_SAME &&
		    !peek(r, (row->by_bp >> i & 1 ? g->bp : cfa) + (uint64_t)(int64_t)row->saved[i],
			  by_number(&caller, number[i])))
			return false;
	if (!peek(r, cfa + (uint64_t)(int64_t)row->return_offset, &caller.ip))
		return false;
	caller.sp = cfa;
	*g = caller;
	if (!g->ip)
		*end = true;
	return g->ip != 0;
}

/*
 * Take the lock of the caches. The server gives up after 3 ms, because the owner may wait in
 * a fault itself, if its signal stack is in the heap.
 */
static bool take_caches(uint32_t tid)
{
	struct timespec nap = { .tv_nsec = 50000 };

	if (tid) {
		rec_lock_take(&unwind_lock, tid);
		return true;
	}
	for (int i = 0; i < 60; i++) {
		if (rec_lock_try(&unwind_lock, (uint32_t)rec_image.server_pid))
			return true;
		sys2(SYS_nanosleep, &nap, 0);
	}
	return false;
}

/* Add the callers' frames to `out`. Return 0 or the reason why the backtrace is truncated. */
static uint8_t unwind(struct rec_backtrace *out, unsigned int most, struct rec_regs *g,
		      struct rec_stack stack)
{
	struct reader r = { 0 };
	bool exact = true, end = false;
	uint64_t sp;

	if (g->sp >= stack.lo && g->sp < stack.hi)
		r.direct = (struct rec_stack){ g->sp, stack.hi };
	for (;;) {
		sp = g->sp;
		if (!step(&r, g, &exact, &end)) {
			/* The outermost frame of a stack has no rule. */
			if (end || (stack.hi && g->sp + 64 >= stack.hi && g->sp <= stack.hi))
				return 0;
			return FLT_RING_F_UNWIND;
		}
		if (g->sp == sp && !exact)
			return FLT_RING_F_UNWIND;
		if (out->count >= most)
			return FLT_RING_F_DEPTH;
		out->frame[out->count++] = g->ip;
		/* After a signal frame the stack may be another one. */
		if (g->sp < r.direct.lo || g->sp >= r.direct.hi)
			r.direct = (struct rec_stack){ 0 };
	}
}

uint8_t rec_backtrace_take(struct rec_backtrace *out, const struct rec_regs *regs,
			   struct rec_stack stack, uint32_t tid)
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
	if (!take_caches(tid))
		return FLT_RING_F_UNWIND;
	truncated = unwind(out, most, &g, stack);
	rec_lock_release(&unwind_lock);
	return truncated;
}

void rec_backtrace_reset(void)
{
	unwind_lock.word = 0;
}
