/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi_program.h - run the call frame instructions of a CIE and an FDE. */
#ifndef FLT_REC_CFI_PROGRAM_H
#define FLT_REC_CFI_PROGRAM_H

#include "cfi_row.h"
#include "cursor.h"

struct rec_cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t fde_enc;
	bool signal;		/* describes a signal frame */
	bool sized;		/* FDEs have an augmentation, which can be skipped */
	struct rec_cursor program;
};

struct rec_cfi_state {
	struct rec_row row;
	bool no_return;		/* outermost frame */
};

/*
 * Compute the state at ip. fde: the program of the FDE, which begins at address `start`.
 * Return false if an instruction is not supported. Caller holds the unwind lock.
 */
bool rec_cfi_program_run(struct rec_cie *e, struct rec_cursor *fde, uint64_t start, uint64_t ip,
			 struct rec_cfi_state *s);

#endif
