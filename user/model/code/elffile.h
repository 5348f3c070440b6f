/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elffile.h - one ELF file, known to libdwfl, and its offsets as addresses. */
#ifndef FLT_MODEL_ELFFILE_H
#define FLT_MODEL_ELFFILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/recording/recording.h"

struct flt_elf_file;

/* NULL: it can't be read, is no ELF file, or is another than the one recorded. */
struct flt_elf_file *flt_elf_file_open(const char *root, const struct flt_object *object);
/* The vdso of this process, as that of the recording is no file. */
struct flt_elf_file *flt_elf_file_vdso(const struct flt_object *object);
void flt_elf_file_close(struct flt_elf_file *elf);

Dwfl_Module *flt_elf_file_module(const struct flt_elf_file *elf);
/* The symbol that covers an address in the module; NULL: none. */
const char *flt_elf_file_symbol(struct flt_elf_file *elf, Dwarf_Addr address, uint64_t *offset);
/* The address in the module of what is mapped from this offset of the file. */
bool flt_elf_file_address(const struct flt_elf_file *elf, uint64_t offset, Dwarf_Addr *address);

#endif
