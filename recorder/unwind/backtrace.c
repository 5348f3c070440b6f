// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind.c - the call stack of a thread that stands still.
 *
 * Neither libunwind nor libgcc can be asked here: their first steps allocate
 * and take the dynamic linker's lock, which the faulting thread may hold while
 * the server unwinds for it. Rules come from cfi.c, registers from the fault;
 * stack memory is read directly where it is known to be an ordinary thread
 * stack and through /proc/self/mem elsewhere (stacks in the heap may be
 * evicted, or not be stacks at all). Where there is no rule - code made at run
 * time - frame pointers are followed as long as they make sense.
 */
#include "rec.h"

struct reader {
	uintptr_t lo, hi;	/* to be read directly */
	uint64_t at, size;	/* window copied from elsewhere */
	uint64_t window[64];
};

static bool peek(struct reader *r, uint64_t a, uint64_t *v)
{
	if (a & 7)
		return false;
	if (a >= r->lo && a + 8 <= r->hi)
		return rec_probe_load((const void *)a, v);
	if (a < r->at || a + 8 > r->at + r->size) {
		long got = rec.memfd_self < 0 ? -1 :
			sys4(SYS_pread64, rec.memfd_self, r->window, sizeof r->window, a);

		/* a stack in the heap, and evicted: its content is in the shadow */
		if (got < 8 && rec.memfd_self >= 0 && rec_in_region((void *)a))
			got = sys4(SYS_pread64, rec.memfd_self, r->window, sizeof r->window,
				   a + rec.distance);
		if (got < 8)
			return false;
		r->at = a;
		r->size = (uint64_t)got;
	}
	*v = r->window[(a - r->at) / 8];
	return true;
}

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
	default: return NULL;	/* r10 is used by stack realignment; not kept */
	}
}

static bool leb(const uint8_t **p, const uint8_t *end, int64_t *v, bool sign)
{
	unsigned int shift = 0;
	uint64_t x = 0;
	uint8_t b;

	do {
		if (*p == end || shift > 63)
			return false;
		b = *(*p)++;
		x |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	if (sign && b & 0x40 && shift < 64)
		x |= ~0ULL << shift;
	*v = (int64_t)x;
	return true;
}

/* The few operations that compilers and linkers put into CFA expressions. */
static bool evaluate(struct reader *r, struct rec_regs *g, const struct rec_row *row, uint64_t *out)
{
	uint8_t code[64];
	const uint8_t *p = code, *end;
	uint64_t s[16], *reg;
	unsigned int n = 0;
	int64_t v;

	if (row->expression_size > sizeof code ||
	    !rec_module_read(row->expression, code, row->expression_size))
		return false;
	end = code + row->expression_size;
	while (p < end) {
		uint8_t op = *p++;

		if (n > 14)
			return false;
		if (op >= 0x30 && op <= 0x4f) {			/* lit */
			s[n++] = op - 0x30u;
		} else if (op >= 0x70 && op <= 0x8f) {		/* breg */
			reg = by_number(g, op - 0x70u);
			if (!reg || !leb(&p, end, &v, true))
				return false;
			s[n++] = *reg + (uint64_t)v;
		} else if (op == 0x08 && p < end) {		/* const1u */
			s[n++] = *p++;
		} else if (op == 0x10 || op == 0x11) {		/* constu, consts */
			if (!leb(&p, end, &v, op == 0x11))
				return false;
			s[n++] = (uint64_t)v;
		} else if (op == 0x06 && n) {			/* deref */
			if (!peek(r, s[n - 1], &s[n - 1]))
				return false;
		} else if (op == 0x23 && n) {			/* plus_uconst */
			if (!leb(&p, end, &v, false))
				return false;
			s[n - 1] += (uint64_t)v;
		} else if (n >= 2) {
			uint64_t b = s[--n], a = s[n - 1];

			switch (op) {
			case 0x1a: a &= b; break;
			case 0x1c: a -= b; break;
			case 0x1e: a *= b; break;
			case 0x22: a += b; break;
			case 0x24: a = b < 64 ? a << b : 0; break;
			case 0x2a: a = (int64_t)a >= (int64_t)b; break;
			default: return false;
			}
			s[n - 1] = a;
		} else {
			return false;
		}
	}
	if (n != 1)
		return false;
	*out = s[0];
	return true;
}

/* A frame of the kernel's making: registers lie in the ucontext at sp. */
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
	    !peek(r, g->bp + 8, &ip) || ip < 4096)
		return false;
	g->sp = g->bp + 16;
	g->bp = bp;
	g->ip = ip;
	return true;
}

/* To the caller; *exact: its ip is an instruction, not a return address. */
static bool step(struct reader *r, struct rec_regs *g, bool *exact, bool *end)
{
	const struct rec_row *row = rec_cfi_row(*exact ? g->ip : g->ip - 1);
	static const uint8_t number[6] = { 3, 6, 12, 13, 14, 15 };
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
	case REC_ROW_NONE:
		return leave_frame_pointer(r, g);
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
		return false;	/* stacks grow down: no frame is above its caller */
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
 * The server waits for a moment only: the holder may stand in a fault of its own,
 * if its signal stack lies in the heap.
 */
static bool take_caches(const struct rec_fault *f)
{
	struct timespec nap = { .tv_nsec = 50000 };

	if (f->flags & FLT_RING_F_INLINE) {
		rec_lock_take(&rec.unwind, f->tid);
		return true;
	}
	for (int i = 0; i < 60; i++) {
		if (rec_lock_try(&rec.unwind, (uint32_t)rec.server_pid))
			return true;
		sys2(SYS_nanosleep, &nap, 0);
	}
	return false;
}

void rec_unwind(struct rec_trace *out, struct rec_fault *f, const struct rec_regs *regs,
		const struct rec_thread *t)
{
	unsigned int most = rec.cfg.max_stack < REC_TRACE_MAX ? rec.cfg.max_stack : REC_TRACE_MAX;
	struct rec_regs g = *regs;
	struct reader r = { 0 };
	bool exact = true, end = false;

	if (t && g.sp >= t->stack_lo && g.sp < t->stack_hi) {
		r.lo = g.sp;
		r.hi = t->stack_hi;
	}
	out->count = 0;
	/* a call through a null pointer has an ip, but no frame of its own */
	if (most)
		out->frame[out->count++] = g.ip;
	if (!take_caches(f)) {
		f->flags |= FLT_RING_F_UNWIND;
		goto out;
	}
	for (;;) {
		uint64_t sp = g.sp;

		if (!step(&r, &g, &exact, &end)) {
			/* the first frame of all has no rule, and nothing above it */
			if (!end && !(t && g.sp + 64 >= t->stack_hi && g.sp <= t->stack_hi))
				f->flags |= FLT_RING_F_UNWIND;
			break;
		}
		if (g.sp == sp && !exact) {
			f->flags |= FLT_RING_F_UNWIND;
			break;
		}
		if (out->count >= most) {
			f->flags |= FLT_RING_F_DEPTH;
			break;
		}
		out->frame[out->count++] = g.ip;
		if (g.sp < r.lo || g.sp >= r.hi)
			r.lo = r.hi = 0;	/* on to another stack */
	}
	rec_lock_drop(&rec.unwind);
out:
	f->frames = (uint8_t)(out->count > 255 ? 255 : out->count);
}
