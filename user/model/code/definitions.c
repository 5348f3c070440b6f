// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/code/definitions.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "model/code/elffile.h"

/* Longer names are not demangled: malicious names could take unbounded stack and time. */
#define MANGLED_MAX 4096

char *__cxa_demangle(const char *mangled, char *out, size_t *length, int *status);

struct search {
	flt_definitions_fn accept;
	void *arg;
	bool found;
};

static bool accept(struct search *s, const char *name)
{
	char *plain = NULL;
	int status;

	if (name[0] == '_' && name[1] == 'Z' && strlen(name) <= MANGLED_MAX)
		plain = __cxa_demangle(name, NULL, NULL, &status);
	s->found = s->accept(s->arg, plain ? plain : name);
	free(plain);
	return s->found;
}

static void search_symbols(struct search *s, Dwfl_Module *module)
{
	int n = dwfl_module_getsymtab(module), i, type;
	const char *name;
	GElf_Addr address;
	GElf_Sym symbol;

	for (i = 1; i < n && !s->found; i++) {
		name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
		type = GELF_ST_TYPE(symbol.st_info);
		if (name && name[0] && symbol.st_shndx != SHN_UNDEF &&
		    (type == STT_FUNC || type == STT_GNU_IFUNC))
			accept(s, name);
	}
}

static int on_function(Dwarf_Die *die, void *arg)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	if (!name)
		name = dwarf_diename(die);
	return name && accept(arg, name) ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static void search_debug(struct search *s, Dwfl_Module *module)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = NULL;

	while (!s->found && (unit = dwfl_module_nextcu(module, unit, &bias)))
		dwarf_getfuncs(unit, on_function, s, 0);
}

bool flt_definitions_have(const struct flt_recording *rec, const char *root,
			  flt_definitions_fn fn, void *arg)
{
	const struct flt_page_size page = flt_recording_page_size(rec);
	struct search s = { .accept = fn, .arg = arg };
	struct flt_elf_file *elf;
	const struct flt_object *o;
	uint32_t i, pass;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < rec->object_count && !s.found; i++) {
			o = &rec->objects[i];
			elf = o->kind == FLT_OBJECT_FILE && !o->data ?
			      flt_elf_file_open(root, o, page) : NULL;
			if (!elf)
				continue;
			if (pass)
				search_debug(&s, flt_elf_file_module(elf));
			else
				search_symbols(&s, flt_elf_file_module(elf));
			flt_elf_file_close(elf);
		}
	}
	return s.found;
}
