/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_EPILOGUE_H
#define FLT_REC_ARM64_EPILOGUE_H

static inline void rec_epilogue_restore(struct rec_epilogue *e, uint32_t reg, int32_t place)
{
	int i = rec_registers_column(reg & 31);

	if (i >= 0)
		e->saved[i] = place;
}

/*
 * Decode an instruction that restores registers or releases the stack. above: bytes that were
 * released before; the instruction adds its own.
 */
static inline bool rec_epilogue_release(struct rec_epilogue *e, uint32_t op, int32_t *above)
{
	int32_t pair = ((int32_t)(op << 10) >> 25) * 8, from = *above;

	if ((op & 0xff8003ff) == 0x910003ff) {		/* add sp, sp, #N */
		*above += (int32_t)((op >> 10 & 0xfff) << (op >> 22 & 1 ? 12 : 0));
	} else if ((op & 0xffc003e0) == 0xf94003e0) {	/* ldr x, [sp, #N] */
		rec_epilogue_restore(e, op, from + (int32_t)(op >> 10 & 0xfff) * 8);
	} else if ((op & 0xffe00fe0) == 0xf84007e0) {	/* ldr x, [sp], #N */
		rec_epilogue_restore(e, op, from);
		*above += (int32_t)(op << 11) >> 23;
	} else if ((op & 0xffc003e0) == 0xa94003e0 ||	/* ldp x, x, [sp, #N] */
		   (op & 0xffc003e0) == 0xa8c003e0) {	/* ldp x, x, [sp], #N */
		bool after = !(op & 1u << 24);

		rec_epilogue_restore(e, op, from + (after ? 0 : pair));
		rec_epilogue_restore(e, op >> 10, from + (after ? 0 : pair) + 8);
		*above += after ? pair : 0;
	} else {
		return op == 0xd503201f ||		/* nop */
		       op == 0xd50323bf || op == 0xd50323ff;	/* autiasp, autibsp */
	}
	return *above >= from;
}

static inline bool rec_epilogue_decode(const uint8_t *code, size_t size, struct rec_epilogue *e)
{
	uint32_t op;

	for (int i = 0; i < REC_COLUMNS; i++)
		e->saved[i] = REC_EPILOGUE_KEPT;
	e->size = 0;
	for (; size >= sizeof(op) && e->size < REC_EPILOGUE_MAX; size -= sizeof(op)) {
		memcpy(&op, code, sizeof(op));
		code += sizeof(op);
		/* ret, retaa, retab. The call has changed x30, so it must have been restored. */
		if (op == 0xd65f03c0 || op == 0xd65f0bff || op == 0xd65f0fff)
			return e->saved[REC_RETURN] != REC_EPILOGUE_KEPT;
		if (!rec_epilogue_release(e, op, &e->size))
			return false;
	}
	return false;
}

#endif
