/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab.h - the function symbols of one ELF file and its debug file, by address.
 *
 * libdwfl looks through all of them for each address; a program of 100 MB has
 * hundreds of thousands, and a recording thousands of places in it.
 */
#ifndef FLT_MODEL_SYMTAB_H
#define FLT_MODEL_SYMTAB_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

struct flt_symtab;

/* NULL: no memory. module must outlive it. */
struct flt_symtab *flt_symtab_new(Dwfl_Module *module);
void flt_symtab_free(struct flt_symtab *t);

/*
 * The symbol that covers the address: the innermost that has a size, of those at one
 * place a global one rather than a weak or local one; else the nearest one without a
 * size behind all that have. NULL: none. *offset is the address's in it.
 */
const char *flt_symtab_find(const struct flt_symtab *t, GElf_Addr address, uint64_t *offset);

#endif
