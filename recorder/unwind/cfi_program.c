// SPDX-License-Identifier: GPL-2.0-or-later
/* cfi_program.c - the DW_CFA_* instructions that compilers use. */
#include "cfi_program.h"

#include <stddef.h>

static void put(struct rec_cfi_state *s, uint64_t dwarf, int64_t offset)
{
	int i = rec_registers_column(dwarf);

	if (i >= 0) {
		s->row.by_fp &= (uint16_t)~(1u << i);
		s->row.saved[i] = offset > REC_OFFSET_MIN && offset <= REC_OFFSET_MAX ?
				  (rec_offset)offset : REC_SAME;
	}
}

struct machine {
	struct rec_cursor *c;
	const struct rec_cie *cie;
	struct rec_cfi_state *s;
	const struct rec_cfi_state *initial;	/* after the CIE's program, NULL = this is it */
	uint64_t location;
};

static void restore(struct machine *m, uint64_t reg)
{
	int i = rec_registers_column(reg);

	if (m->initial && i >= 0)
		m->s->row.saved[i] = m->initial->row.saved[i];
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	m->s->row.cfa_register = (uint8_t)reg;
	m->s->row.cfa_offset = (int32_t)offset;
	m->s->row.expression = 0;
}

/* Execute an instruction that defines the CFA. Return false if it is not supported. */
static bool define_cfa(struct machine *m, uint8_t op)
{
	struct rec_cursor *c = m->c;
	struct rec_row *row = &m->s->row;
	uint64_t reg, n;

	switch (op) {
	case 0x0c:		/* def_cfa */
		reg = (uint64_t)rec_cursor_take_leb(c, false);
		set_cfa(m, reg, rec_cursor_take_leb(c, false));
		return true;
	case 0x0d:		/* def_cfa_register */
		set_cfa(m, (uint64_t)rec_cursor_take_leb(c, false), row->cfa_offset);
		return true;
	case 0x0e:		/* def_cfa_offset */
		row->cfa_offset = (int32_t)rec_cursor_take_leb(c, false);
		return true;
	case 0x12:		/* def_cfa_sf */
		reg = (uint64_t)rec_cursor_take_leb(c, false);
		set_cfa(m, reg, rec_cursor_take_leb(c, true) * m->cie->data_align);
		return true;
	case 0x13:		/* def_cfa_offset_sf */
		row->cfa_offset = (int32_t)(rec_cursor_take_leb(c, true) * m->cie->data_align);
		return true;
	}
	/* 0x0f: def_cfa_expression */
	n = (uint64_t)rec_cursor_take_leb(c, false);
	row->expression = c->address;
	row->expression_size = (uint16_t)n;
	return n <= 64 && rec_cursor_skip(c, n);
}

/*
 * Execute expression or val_expression, but only as "at the frame pointer + n", for realigned
 * stacks.
 */
static bool put_expression(struct machine *m, bool is_place)
{
	struct rec_cursor *c = m->c;
	uint64_t reg = (uint64_t)rec_cursor_take_leb(c, false);
	uint64_t n = (uint64_t)rec_cursor_take_leb(c, false);
	int i = rec_registers_column(reg);

	if (i == REC_RETURN || n < 2 || (size_t)(c->end - c->p) < n)
		return false;
	if (is_place && i >= 0 && c->p[0] == 0x70 + REC_DWARF_FP) {	/* breg */
		struct rec_cursor x = { c->p + 1, c->p + n, 0, false };

		put(m->s, reg, rec_cursor_take_leb(&x, true));
		if (!x.bad && x.p == x.end)
			m->s->row.by_fp |= (uint16_t)(1u << i);
	}
	return rec_cursor_skip(c, n);
}

/* Execute an instruction that tells where a register is saved. */
static bool save_register(struct machine *m, uint8_t op)
{
	struct rec_cursor *c = m->c;
	uint64_t reg;

	switch (op) {
	case 0x05:		/* offset_extended */
		reg = (uint64_t)rec_cursor_take_leb(c, false);
		put(m->s, reg, rec_cursor_take_leb(c, false) * m->cie->data_align);
		return true;
	case 0x06:		/* restore_extended */
		restore(m, (uint64_t)rec_cursor_take_leb(c, false));
		return true;
	case 0x07:		/* undefined */
		if (rec_cursor_take_leb(c, false) == REC_DWARF_RETURN)
			m->s->no_return = true;
		return true;
	case 0x08:		/* same_value */
		put(m->s, (uint64_t)rec_cursor_take_leb(c, false), INT64_MAX);
		return true;
	case 0x09:		/* register: in another one, as the return address in vfork() */
		reg = (uint64_t)rec_cursor_take_leb(c, false);
		rec_cursor_take_leb(c, false);
		return rec_registers_column(reg) < 0;
	case 0x11:		/* offset_extended_sf */
		reg = (uint64_t)rec_cursor_take_leb(c, false);
		put(m->s, reg, rec_cursor_take_leb(c, true) * m->cie->data_align);
		return true;
	case 0x2e:		/* GNU_args_size */
		rec_cursor_take_leb(c, false);
		return true;
	case 0x2d:		/* AARCH64_negate_ra_state: see rec_registers_return() */
		return REC_HAS_LINK;
	default:
		return false;
	}
}

/* Execute instructions until the row for ip is complete. */
static bool run(struct machine *m, uint64_t ip)
{
	static struct rec_cfi_state stack[8];	/* guarded by the unwind lock */
	unsigned int depth = 0;
	struct rec_cursor *c = m->c;
	bool ok = true;

	while (ok && c->p < c->end && !c->bad && m->location <= ip) {
		uint8_t op = (uint8_t)rec_cursor_take(c, 1);

		switch (op & 0xc0) {
		case 0x40:		/* advance_loc */
			m->location += (op & 0x3fu) * m->cie->code_align;
			continue;
		case 0x80:		/* offset */
			put(m->s, op & 0x3f, rec_cursor_take_leb(c, false) * m->cie->data_align);
			continue;
		case 0xc0:		/* restore */
			restore(m, op & 0x3f);
			continue;
		}
		switch (op) {
		case 0x00:		/* nop */
			break;
		case 0x01:		/* set_loc */
			m->location = rec_cursor_take_encoded(c, m->cie->fde_enc, 0);
			break;
		case 0x02: case 0x03: case 0x04:	/* advance_loc1, 2, 4 */
			m->location += rec_cursor_take(c, 1u << (op - 2)) * m->cie->code_align;
			break;
		case 0x0a:		/* remember_state */
			ok = depth < sizeof(stack) / sizeof(stack[0]);
			if (ok)
				stack[depth++] = *m->s;
			break;
		case 0x0b:		/* restore_state */
			ok = depth > 0;
			if (ok)
				*m->s = stack[--depth];
			break;
		case 0x0c: case 0x0d: case 0x0e: case 0x0f: case 0x12: case 0x13:
			ok = define_cfa(m, op);
			break;
		case 0x10: case 0x16:	/* expression, val_expression */
			ok = put_expression(m, op == 0x10);
			break;
		default:
			ok = save_register(m, op);
		}
	}
	return ok && (m->location > ip || !c->bad);
}

bool rec_cfi_program_run(struct rec_cie *e, struct rec_cursor *fde, uint64_t start, uint64_t ip,
			 struct rec_cfi_state *s)
{
	struct machine m = { .c = &e->program, .cie = e, .s = s };
	struct rec_cfi_state initial;

	for (int i = 0; i < REC_COLUMNS; i++)
		s->row.saved[i] = REC_SAME;
	if (!run(&m, ~0ULL))
		return false;
	initial = *s;
	m = (struct machine){ .c = fde, .cie = e, .s = s, .initial = &initial, .location = start };
	return run(&m, ip);
}
