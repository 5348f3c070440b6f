// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/code/definitions.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/code/elffile.h"
#include "model/recording/mapset.h"

/* Longer names are not demangled: malicious names could take unbounded stack and time. */
#define MANGLED_MAX 4096

char *__cxa_demangle(const char *mangled, char *out, size_t *length, int *status);

struct search {
	const struct flt_definitions_search *in;
	bool *mapped;		/* per object: look into it */
	bool found;
};

static bool accept(struct search *s, const char *name)
{
	char *plain = NULL;
	int status;

	if (name[0] == '_' && name[1] == 'Z' && strlen(name) <= MANGLED_MAX)
		plain = __cxa_demangle(name, NULL, NULL, &status);
	s->found = s->in->accept(s->in->arg, plain ? plain : name);
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

static void note_mapped(struct search *s, const struct flt_image *image)
{
	uint32_t piece, map;

	for (piece = 0; (map = flt_map_set_piece(image->maps, piece)) != ~0u; piece++)
		s->mapped[s->in->rec->maps[map].object] = true;
}

static void search_object(struct search *s, const struct flt_object *o, bool debug)
{
	struct flt_elf_file *elf = NULL;

	if (o->kind == FLT_OBJECT_FILE && !o->data)
		elf = flt_elf_file_open(s->in->root, o, flt_recording_page_size(s->in->rec));
	if (!elf)
		return;
	if (debug)
		search_debug(s, flt_elf_file_module(elf));
	else
		search_symbols(s, flt_elf_file_module(elf));
	flt_elf_file_close(elf);
}

int flt_definitions_have(const struct flt_definitions_search *in)
{
	const struct flt_recording *rec = in->rec;
	struct search s = {
		.in = in, .mapped = calloc(rec->object_count + 1, sizeof(*s.mapped)),
	};
	uint32_t i, pass;

	if (!s.mapped)
		return -ENOMEM;
	memset(s.mapped, !in->in_image, rec->object_count * sizeof(*s.mapped));
	for (i = 0; in->in_image && i < rec->image_room; i++)
		if (rec->images[i] && in->in_image(in->arg, i))
			note_mapped(&s, rec->images[i]);
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < rec->object_count && !s.found; i++)
			if (s.mapped[i])
				search_object(&s, &rec->objects[i], pass);
	free(s.mapped);
	return s.found;
}
