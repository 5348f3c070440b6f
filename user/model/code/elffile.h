/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elffile.h - an ELF file in libdwfl, and file offsets as addresses. */
#ifndef FLT_MODEL_ELFFILE_H
#define FLT_MODEL_ELFFILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/recording/recording.h"

struct flt_elf_file;

/*
 * page: of the machine that mapped the file. Return NULL if the file is not readable, not an ELF
 * file, or not the recorded one.
 */
struct flt_elf_file *flt_elf_file_open(const char *root, const struct flt_object *object,
				       struct flt_page_size page);
/* Open the vdso of this process, because the vdso of the recording is not a file. */
struct flt_elf_file *flt_elf_file_vdso(const struct flt_object *object, struct flt_page_size page);
void flt_elf_file_close(struct flt_elf_file *elf);

Dwfl_Module *flt_elf_file_module(const struct flt_elf_file *elf);
/* Return the symbol that covers an address of the module, or NULL. */
const char *flt_elf_file_symbol(struct flt_elf_file *elf, Dwarf_Addr address, uint64_t *offset);
/* Store the address in the module that belongs to an offset of the file. */
bool flt_elf_file_address(const struct flt_elf_file *elf, uint64_t offset, Dwarf_Addr *address);

#endif
