/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decode just enough of x86-64 to know whether an instruction stores.
 *
 * The kernel tells a signal handler whether its fault was a store only if the signal is
 * raised for the fault. Decoding reads prefixes, opcode and ModRM byte by byte, so nothing
 * beyond the instruction is read. Opcodes that are not listed here load. An instruction that
 * loads and stores counts as a store.
 */
#ifndef FLT_REC_X86_INSTRUCTION_H
#define FLT_REC_X86_INSTRUCTION_H

#define REC_HAS_INLINE true

/* Row: upper half of the opcode. Bit n: opcode n of the row stores to its r/m operand. */
static const uint16_t rec_instruction_one_byte[16] = {
	0x0303, 0x0303, 0x0303, 0x0003,		/* ALU r/m, r; 38 and 39 compare */
	0x0000, 0x00ff, 0x0500, 0x0000,		/* push */
	0x83c0, 0x0000, 0x0c3c, 0x0000,		/* xchg, mov; moffs, movs, stos */
	0x00c3, 0x000f, 0x0100, 0x0000,		/* shifts, mov imm; call */
};

static const uint16_t rec_instruction_two_byte[16] = {
	0x0000, 0x008a, 0x0a00, 0x0000,		/* 11 13 17, 29 2b */
	0x0000, 0x0000, 0x0000, 0xc000,		/* 7e 7f */
	0x0000, 0xffff, 0x3830, 0x080b,		/* setcc; shld bts shrd; cmpxchg btr btc */
	0x008b, 0x0040, 0x0080, 0x0000,		/* xadd movnti cmpxchg8b; d6; e7 */
};

static inline bool rec_instruction_in(const uint16_t *row, uint8_t op)
{
	return row[op >> 4] >> (op & 15) & 1;
}

/*
 * Return true if an opcode of a VEX or EVEX map stores. prefix: 0 none, 1 66, 2 f3, 3 f2.
 */
static inline bool rec_instruction_vector(unsigned int map, uint8_t op, unsigned int prefix,
					  bool evex)
{
	if (map == 1 && op == 0x7e && prefix == 2)
		return false;	/* vmovq from memory */
	if (map == 1)
		return op == 0x11 || op == 0x13 || op == 0x17 || op == 0x29 || op == 0x2b ||
		       op == 0x7e || op == 0x7f || op == 0x91 || op == 0xd6 || op == 0xe7;
	if (map == 2 && !evex)	/* masked stores */
		return op == 0x2e || op == 0x2f || op == 0x8e;
	if (map == 2)	/* compress, scatter, narrowing moves */
		return op == 0x63 || op == 0x8a || op == 0x8b || (op >= 0xa0 && op <= 0xa3) ||
		       (prefix == 2 && op >= 0x10 && op < 0x40 && (op & 0x0f) < 6);
	if (map > 3)	/* half precision: vmovsh, vmovw */
		return map == 5 && ((op == 0x11 && prefix == 2) || (op == 0x7e && prefix == 1));
	return (op >= 0x14 && op <= 0x17) || op == 0x19 || op == 0x1b || op == 0x1d || op == 0x39 ||
	       op == 0x3b;
}

static inline bool rec_instruction_stores(const uint8_t *p)
{
	bool f3 = false;
	unsigned int reg;
	uint8_t op;

	for (;; p++) {
		op = *p;
		if (op == 0xf3)
			f3 = true;
		else if (op != 0x66 && op != 0x67 && op != 0xf2 && op != 0xf0 && op != 0x2e &&
			 op != 0x36 && op != 0x3e && op != 0x26 && op != 0x64 && op != 0x65)
			break;
	}
	if (op == 0xc5)
		return rec_instruction_vector(1, p[2], p[1] & 3, false);
	if (op == 0xc4)
		return rec_instruction_vector(p[1] & 0x1f, p[3], p[2] & 3, false);
	if (op == 0x62)
		return rec_instruction_vector(p[1] & 7, p[4], p[2] & 3, true);
	if ((op & 0xf0) == 0x40)
		op = *++p;		/* REX */
	if (op == 0x0f) {
		op = *++p;
		if (op == 0x7e)
			return !f3;	/* with f3: movq from memory */
		if (op == 0xba)
			return (p[1] >> 3 & 7) != 4;	/* bt only loads */
		if (op == 0xae)
			return (p[1] >> 3 & 7) != 1 && (p[1] >> 3 & 7) != 2 &&
			       (p[1] >> 3 & 7) != 5;	/* the others save state */
		if (op == 0x38)
			return p[1] == 0xf1 || p[1] == 0xf9;	/* movbe, movdiri */
		return rec_instruction_in(rec_instruction_two_byte, op);
	}
	reg = p[1] >> 3 & 7;
	switch (op) {
	case 0x80: case 0x81: case 0x83:
		return reg != 7;	/* cmp */
	case 0xf6: case 0xf7:
		return reg == 2 || reg == 3;	/* not, neg */
	case 0xfe: case 0xff:
		return reg < 4 || reg == 6;	/* inc, dec, call, push */
	case 0xd9:
		return reg == 2 || reg == 3 || reg > 5;	/* x87 stores */
	case 0xdb: case 0xdd: case 0xdf:
		return reg == 1 || reg == 2 || reg == 3 || reg > 5;
	}
	return rec_instruction_in(rec_instruction_one_byte, op);
}

#endif
