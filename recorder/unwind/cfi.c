// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi.c - call frame information: one row of the table in .eh_frame for one address.
 *
 * A direct-mapped cache keeps rows by address, so a frame costs one table lookup and a few
 * loads each time after that. Tables are read with rec_object_read(), so an object that was
 * unloaded has no row instead of causing a fault.
 */
#include "cfi.h"

#include "object.h"

#include <string.h>

#define ROWS 16384u
#define CODE 1024		/* longer CIEs and FDEs are truncated */

static struct rec_row cache[ROWS];

struct cursor {
	const uint8_t *p, *end;
	uint64_t address;	/* of p in the image */
	bool bad;
};

static uint64_t take(struct cursor *c, unsigned int n)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < n) {
		c->bad = true;
		return 0;
	}
	memcpy(&v, c->p, n);
	c->p += n;
	c->address += n;
	return v;
}

static int64_t take_leb(struct cursor *c, bool sign)
{
	unsigned int shift = 0;
	uint64_t v = 0, b;

	do {
		b = take(c, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80 && !c->bad);
	if (sign && b & 0x40 && shift < 64)
		v |= ~0ULL << shift;
	return (int64_t)v;
}

/* Read a pointer in a DW_EH_PE encoding. Code addresses are never indirect. */
static uint64_t take_encoded(struct cursor *c, uint8_t enc, uint64_t data)
{
	uint64_t at = c->address, v;

	switch (enc & 0x0f) {
	case 0x00: case 0x04: case 0x0c: v = take(c, 8); break;
	case 0x01: v = (uint64_t)take_leb(c, false); break;
	case 0x02: v = take(c, 2); break;
	case 0x03: v = take(c, 4); break;
	case 0x09: v = (uint64_t)take_leb(c, true); break;
	case 0x0a: v = (uint64_t)(int64_t)(int16_t)take(c, 2); break;
	case 0x0b: v = (uint64_t)(int64_t)(int32_t)take(c, 4); break;
	default: c->bad = true; return 0;
	}
	if ((enc & 0x70) == 0x10)
		v += at;
	else if ((enc & 0x70) == 0x30)
		v += data;
	return v;
}

/* Return the address of the FDE that may cover ip, by binary search in .eh_frame_hdr, or 0. */
static uint64_t find_fde(const struct rec_object *o, uint64_t ip)
{
	uint8_t head[32];
	struct cursor c = { head, head + sizeof(head), o->eh_frame_hdr, false };
	uint64_t lo = 0, hi, table;
	int32_t pair[2];

	if (!rec_object_read(o->eh_frame_hdr, head, sizeof(head)) || head[0] != 1 || head[3] != 0x3b)
		return 0;
	take(&c, 4);
	take_encoded(&c, head[1], o->eh_frame_hdr);
	hi = take_encoded(&c, head[2], o->eh_frame_hdr);
	table = c.address;
	if (c.bad || hi > (o->eh_frame_hdr_end - table) / sizeof(pair))
		return 0;
	while (lo + 1 < hi) {
		uint64_t mid = (lo + hi) / 2;

		if (!rec_object_read(table + mid * sizeof(pair), pair, sizeof(pair)))
			return 0;
		if (ip < o->eh_frame_hdr + (uint64_t)(int64_t)pair[0])
			hi = mid;
		else
			lo = mid;
	}
	if (!hi || !rec_object_read(table + lo * sizeof(pair), pair, sizeof(pair)) ||
	    ip < o->eh_frame_hdr + (uint64_t)(int64_t)pair[0])
		return 0;
	return o->eh_frame_hdr + (uint64_t)(int64_t)pair[1];
}

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t fde_enc;
	bool signal, sized;
	uint8_t code[CODE];
	struct cursor program;
};

/* Read the CIE or FDE at an address. The cursor is after its length field. */
static bool open_entry(uint64_t address, uint8_t *buffer, struct cursor *c)
{
	uint32_t length;

	if (!rec_object_read(address, &length, 4) || length < 4 || length == 0xffffffff)
		return false;
	if (length > CODE)
		length = CODE;
	if (!rec_object_read(address + 4, buffer, length))
		return false;
	*c = (struct cursor){ buffer, buffer + length, address + 4, false };
	return true;
}

static bool open_cie(uint64_t address, struct cie *e)
{
	struct cursor c;
	char augmentation[8] = "";
	uint64_t size = 0;
	unsigned int n = 0;
	uint8_t version;

	if (!open_entry(address, e->code, &c) || take(&c, 4))
		return false;
	version = (uint8_t)take(&c, 1);
	while (n < sizeof(augmentation) && (augmentation[n] = (char)take(&c, 1)))
		n++;
	if (n == sizeof(augmentation) || (version != 1 && version != 3))
		return false;
	e->code_align = (uint64_t)take_leb(&c, false);
	e->data_align = take_leb(&c, true);
	if ((version == 1 ? take(&c, 1) : (uint64_t)take_leb(&c, false)) != 16)
		return false;	/* return address column */
	e->fde_enc = 0;
	e->signal = false;
	e->sized = augmentation[0] == 'z';
	if (e->sized)
		size = (uint64_t)take_leb(&c, false);
	if ((size_t)(c.end - c.p) < size)
		return false;
	e->program = c;
	e->program.p += size;
	e->program.address += size;
	for (n = e->sized; augmentation[n]; n++) {
		if (augmentation[n] == 'R')
			e->fde_enc = (uint8_t)take(&c, 1);
		else if (augmentation[n] == 'S')
			e->signal = true;
		else if (augmentation[n] == 'P')
			take_encoded(&c, (uint8_t)take(&c, 1), 0);
		else if (augmentation[n] == 'L')
			take(&c, 1);
		else
			return false;
	}
	return !c.bad;
}

/* Return the index of a register in state.column, or -1 if it is not tracked. */
static int column(uint64_t dwarf)
{
	switch (dwarf) {
	case 3: return 0;
	case 6: return 1;
	case 12: case 13: case 14: case 15: return (int)dwarf - 10;
	case 16: return 6;
	default: return -1;
	}
}

struct state {
	struct rec_row row;
	int16_t column[7];
	bool no_return;
};

static void put(struct state *s, uint64_t dwarf, int64_t offset)
{
	int i = column(dwarf);

	if (i >= 0) {
		s->row.by_bp &= (uint8_t)~(1u << i);
		s->column[i] = offset > INT16_MIN && offset <= INT16_MAX ? (int16_t)offset : REC_SAME;
	}
}

struct machine {
	struct cursor *c;
	const struct cie *cie;
	struct state *s;
	const struct state *initial;	/* after the CIE's program; NULL = this is that program */
	uint64_t location;
};

static void restore(struct machine *m, uint64_t reg)
{
	if (m->initial && column(reg) >= 0)
		m->s->column[column(reg)] = m->initial->column[column(reg)];
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
	struct cursor *c = m->c;
	struct rec_row *row = &m->s->row;
	uint64_t reg, n;

	switch (op) {
	case 0x0c:		/* def_cfa */
		reg = (uint64_t)take_leb(c, false);
		set_cfa(m, reg, take_leb(c, false));
		return true;
	case 0x0d:		/* def_cfa_register */
		set_cfa(m, (uint64_t)take_leb(c, false), row->cfa_offset);
		return true;
	case 0x0e:		/* def_cfa_offset */
		row->cfa_offset = (int32_t)take_leb(c, false);
		return true;
	case 0x12:		/* def_cfa_sf */
		reg = (uint64_t)take_leb(c, false);
		set_cfa(m, reg, take_leb(c, true) * m->cie->data_align);
		return true;
	case 0x13:		/* def_cfa_offset_sf */
		row->cfa_offset = (int32_t)(take_leb(c, true) * m->cie->data_align);
		return true;
	}
	/* 0x0f: def_cfa_expression */
	n = (uint64_t)take_leb(c, false);
	row->expression = c->address;
	row->expression_size = (uint16_t)n;
	if (n > 64 || (size_t)(c->end - c->p) < n)
		return false;
	c->p += n;
	c->address += n;
	return true;
}

/* expression, val_expression: supported only as "at rbp + n", for realigned stacks. */
static bool put_expression(struct machine *m, bool is_place)
{
	struct cursor *c = m->c;
	uint64_t reg = (uint64_t)take_leb(c, false), n = (uint64_t)take_leb(c, false);

	if (column(reg) == 6 || n < 2 || (size_t)(c->end - c->p) < n)
		return false;
	if (is_place && column(reg) >= 0 && c->p[0] == 0x76) {
		struct cursor x = { c->p + 1, c->p + n, 0, false };

		put(m->s, reg, take_leb(&x, true));
		if (!x.bad && x.p == x.end)
			m->s->row.by_bp |= (uint8_t)(1u << column(reg));
	}
	c->p += n;
	c->address += n;
	return true;
}

/* Execute an instruction that tells where a register is saved. */
static bool save_register(struct machine *m, uint8_t op)
{
	struct cursor *c = m->c;
	uint64_t reg;

	switch (op) {
	case 0x05:		/* offset_extended */
		reg = (uint64_t)take_leb(c, false);
		put(m->s, reg, take_leb(c, false) * m->cie->data_align);
		return true;
	case 0x06:		/* restore_extended */
		restore(m, (uint64_t)take_leb(c, false));
		return true;
	case 0x07:		/* undefined */
		if (take_leb(c, false) == 16)
			m->s->no_return = true;
		return true;
	case 0x08:		/* same_value */
		put(m->s, (uint64_t)take_leb(c, false), INT64_MAX);
		return true;
	case 0x09:		/* register */
		take_leb(c, false);
		take_leb(c, false);
		return true;
	case 0x11:		/* offset_extended_sf */
		reg = (uint64_t)take_leb(c, false);
		put(m->s, reg, take_leb(c, true) * m->cie->data_align);
		return true;
	case 0x2e:		/* GNU_args_size */
		take_leb(c, false);
		return true;
	default:
		return false;
	}
}

/* Execute instructions until the row for ip is complete. */
static bool run(struct machine *m, uint64_t ip)
{
	static struct state stack[8];	/* guarded by the unwind lock */
	unsigned int depth = 0;
	struct cursor *c = m->c;
	bool ok = true;

	while (ok && c->p < c->end && !c->bad && m->location <= ip) {
		uint8_t op = (uint8_t)take(c, 1);

		switch (op & 0xc0) {
		case 0x40:		/* advance_loc */
			m->location += (op & 0x3fu) * m->cie->code_align;
			continue;
		case 0x80:		/* offset */
			put(m->s, op & 0x3f, take_leb(c, false) * m->cie->data_align);
			continue;
		case 0xc0:		/* restore */
			restore(m, op & 0x3f);
			continue;
		}
		switch (op) {
		case 0x00:		/* nop */
			break;
		case 0x01:		/* set_loc */
			m->location = take_encoded(c, m->cie->fde_enc, 0);
			break;
		case 0x02: case 0x03: case 0x04:	/* advance_loc1, 2, 4 */
			m->location += take(c, 1u << (op - 2)) * m->cie->code_align;
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

/* Run the programs of a CIE and an FDE, whose cursor is at its program. */
static bool compute(struct cursor *fde, struct cie *e, uint64_t start, uint64_t ip,
		    struct state *s)
{
	struct machine m = { .c = &e->program, .cie = e, .s = s };
	struct state initial;

	for (int i = 0; i < 7; i++)
		s->column[i] = REC_SAME;
	if (!run(&m, ~0ULL))
		return false;
	initial = *s;
	m = (struct machine){ .c = fde, .cie = e, .s = s, .initial = &initial, .location = start };
	return run(&m, ip);
}

static bool skip_augmentation(struct cursor *c)
{
	uint64_t size = (uint64_t)take_leb(c, false);

	if ((size_t)(c->end - c->p) < size)
		return false;
	c->p += size;
	c->address += size;
	return true;
}

static void look_up(uint64_t ip, struct rec_row *row)
{
	static struct cie e;		/* guarded by the unwind lock */
	static uint8_t code[CODE];
	const struct rec_object *o = rec_object_find(ip);
	struct state s = { 0 };
	struct cursor c;
	uint64_t fde, start, length, at;

	/* Do not cache that there is no object: it may be loaded a moment later. */
	row->ip = o ? ip : 0;
	row->kind = REC_ROW_NONE;
	if (!o || !o->eh_frame_hdr)
		return;
	fde = find_fde(o, ip);
	if (!fde || !open_entry(fde, code, &c))
		return;
	at = c.address;
	if (!open_cie(at - (uint32_t)take(&c, 4), &e))
		return;
	start = take_encoded(&c, e.fde_enc, 0);
	length = take_encoded(&c, e.fde_enc & 0x0f, 0);
	if (c.bad || ip < start || ip >= start + length)
		return;
	if (e.signal) {
		row->kind = REC_ROW_SIGNAL;
		return;
	}
	if (e.sized && !skip_augmentation(&c))
		return;
	if (!compute(&c, &e, start, ip, &s))
		return;
	if (s.no_return) {
		row->kind = REC_ROW_END;
		return;
	}
	if (s.column[6] == REC_SAME)
		return;
	*row = s.row;
	row->ip = ip;
	row->kind = REC_ROW_CFA;
	memcpy(row->saved, s.column, sizeof(row->saved));
	row->return_offset = s.column[6];
}

const struct rec_row *rec_cfi_row(uint64_t ip)
{
	struct rec_row *row = &cache[(ip * 0x9e3779b97f4a7c15ULL >> 50) & (ROWS - 1)];

	if (row->ip != ip)
		look_up(ip, row);
	return row;
}
