/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab.h - function symbols of an ELF file and its debug file, sorted by address.
 *
 * libdwfl scans all symbols for each address. That is slow, because a program of 100 MB has
 * hundreds of thousands of symbols and a recording thousands of places in it.
 */
#ifndef FLT_MODEL_SYMTAB_H
#define FLT_MODEL_SYMTAB_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

struct flt_symtab;

/* Return NULL without memory. The module must outlive the table. */
struct flt_symtab *flt_symtab_new(Dwfl_Module *module);
void flt_symtab_free(struct flt_symtab *t);

/*
 * Return the symbol that covers an address, or NULL, and store the offset of the address in it.
 * The innermost symbol with a size wins; of symbols at the same place, a global one wins over weak
 * and local ones. If no symbol with a size covers the address, the nearest one before it wins that
 * has no size.
 */
const char *flt_symtab_find(const struct flt_symtab *t, GElf_Addr address, uint64_t *offset);

#endif
