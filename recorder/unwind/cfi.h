/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi.h - find the rule for an address. Callers hold the unwind lock. */
#ifndef FLT_REC_CFI_H
#define FLT_REC_CFI_H

#include "cfi_row.h"

/* Return the row for an address. It is valid until the next call. */
const struct rec_row *rec_cfi_row(uint64_t ip);

#endif
