// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi.c - call frame information: one row of the table in .eh_frame for one address.
 *
 * A direct-mapped cache keeps rows by address, so a frame costs one table lookup and a few
 * loads each time after that. Rows are stored in the order in which they were needed: a program
 * that needs few of them touches few pages. Tables are read through object.c, so an object that
 * was unloaded has no row instead of causing a fault.
 */
#include "cfi.h"

#include "cfi_program.h"
#include "object.h"

#include <assert.h>

#define ROWS 16384u
#define CODE 1024		/* longer CIEs and FDEs are truncated */

static struct rec_row row_at[ROWS + 1];	/* [0] is not used */
static uint16_t row_of[ROWS];		/* hash of the address -> index of its row, 0 = none */
static uint16_t rows;
static_assert(ROWS <= UINT16_MAX, "an index of rows");

/* Return the address of the FDE that may cover ip, by binary search in .eh_frame_hdr, or 0. */
static uint64_t find_fde(const struct rec_object *o, uint64_t ip)
{
	uint8_t head[32];
	struct rec_cursor c = { head, head + sizeof(head), o->eh_frame_hdr, false };
	uint64_t lo = 0, hi, table;
	int32_t pair[2];

	if (!rec_object_read_index(o->eh_frame_hdr, head, sizeof(head)) || head[0] != 1 ||
	    head[3] != 0x3b)
		return 0;
	rec_cursor_take(&c, 4);
	rec_cursor_take_encoded(&c, head[1], o->eh_frame_hdr);
	hi = rec_cursor_take_encoded(&c, head[2], o->eh_frame_hdr);
	table = c.address;
	if (c.bad || hi > (o->eh_frame_hdr_end - table) / sizeof(pair))
		return 0;
	while (lo + 1 < hi) {
		uint64_t mid = (lo + hi) / 2;

		if (!rec_object_read_table(table + mid * sizeof(pair), pair, sizeof(pair)))
			return 0;
		if (ip < o->eh_frame_hdr + (uint64_t)(int64_t)pair[0])
			hi = mid;
		else
			lo = mid;
	}
	if (!hi || !rec_object_read_table(table + lo * sizeof(pair), pair, sizeof(pair)) ||
	    ip < o->eh_frame_hdr + (uint64_t)(int64_t)pair[0])
		return 0;
	return o->eh_frame_hdr + (uint64_t)(int64_t)pair[1];
}

/* Read the CIE or FDE at an address. The cursor is after its length field. */
static bool open_entry(uint64_t address, uint8_t *buffer, struct rec_cursor *c)
{
	uint32_t length;

	if (!rec_object_read_table(address, &length, 4) || length < 4 || length == 0xffffffff)
		return false;
	if (length > CODE)
		length = CODE;
	if (!rec_object_read_table(address + 4, buffer, length))
		return false;
	*c = (struct rec_cursor){ buffer, buffer + length, address + 4, false };
	return true;
}

static bool open_cie(uint64_t address, struct rec_cie *e)
{
	static uint8_t code[CODE];	/* guarded by the unwind lock; e->program points into it */
	char augmentation[8] = "";
	struct rec_cursor c;
	uint64_t size = 0, column;
	unsigned int n = 0;
	uint8_t version;

	if (!open_entry(address, code, &c) || rec_cursor_take(&c, 4))
		return false;
	version = (uint8_t)rec_cursor_take(&c, 1);
	while (n < sizeof(augmentation) && (augmentation[n] = (char)rec_cursor_take(&c, 1)))
		n++;
	if (n == sizeof(augmentation) || (version != 1 && version != 3))
		return false;
	e->code_align = (uint64_t)rec_cursor_take_leb(&c, false);
	e->data_align = rec_cursor_take_leb(&c, true);
	column = version == 1 ? rec_cursor_take(&c, 1) : (uint64_t)rec_cursor_take_leb(&c, false);
	if (column != REC_DWARF_RETURN)
		return false;
	e->fde_enc = 0;
	e->signal = false;
	e->sized = augmentation[0] == 'z';
	if (e->sized)
		size = (uint64_t)rec_cursor_take_leb(&c, false);
	e->program = c;
	if (!rec_cursor_skip(&e->program, size))
		return false;
	for (n = e->sized; augmentation[n]; n++) {
		if (augmentation[n] == 'R')
			e->fde_enc = (uint8_t)rec_cursor_take(&c, 1);
		else if (augmentation[n] == 'S')
			e->signal = true;
		else if (REC_HAS_LINK && (augmentation[n] == 'B' || augmentation[n] == 'G'))
			continue;	/* arm64: the key of signatures, tagged stacks */
		else if (augmentation[n] == 'P')
			rec_cursor_take_encoded(&c, (uint8_t)rec_cursor_take(&c, 1), 0);
		else if (augmentation[n] == 'L')
			rec_cursor_take(&c, 1);
		else
			return false;
	}
	return !c.bad;
}

static void look_up(uint64_t ip, struct rec_row *row)
{
	static uint8_t code[CODE];	/* guarded by the unwind lock */
	const struct rec_object *o = rec_object_find(ip);
	struct rec_cfi_state s = { 0 };
	struct rec_cursor c;
	struct rec_cie e;
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
	if (!open_cie(at - (uint32_t)rec_cursor_take(&c, 4), &e))
		return;
	start = rec_cursor_take_encoded(&c, e.fde_enc, 0);
	length = rec_cursor_take_encoded(&c, e.fde_enc & 0x0f, 0);
	if (c.bad || ip < start || ip >= start + length)
		return;
	if (e.signal) {
		row->kind = REC_ROW_SIGNAL;
		return;
	}
	row->kind = REC_ROW_REFUSED;
	if (e.sized && !rec_cursor_skip(&c, (uint64_t)rec_cursor_take_leb(&c, false)))
		return;
	if (!rec_cfi_program_run(&e, &c, start, ip, &s))
		return;
	if (s.no_return) {
		row->kind = REC_ROW_END;
		return;
	}
	if (s.row.saved[REC_RETURN] == REC_SAME && !REC_HAS_LINK)
		return;
	*row = s.row;
	row->ip = ip;
	row->kind = REC_ROW_CFA;
}

const struct rec_row *rec_cfi_row(uint64_t ip)
{
	uint16_t *index = &row_of[(ip * 0x9e3779b97f4a7c15ULL >> 50) & (ROWS - 1)];
	struct rec_row *row;

	if (!*index)
		*index = ++rows;
	row = &row_at[*index];
	if (row->ip != ip)
		look_up(ip, row);
	return row;
}
