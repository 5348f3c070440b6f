// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/code/symtab.h"

#include <stdlib.h>

struct entry {
	GElf_Addr start, end;	/* equal: the symbol has no size */
	GElf_Addr limit;	/* end of its section, for a symbol without size */
	GElf_Addr reach;	/* largest end of all symbols up to this one */
	const char *name;
	int rank, index;	/* equal ranges: largest rank wins, then first index */
};

struct flt_symtab {
	struct entry *entries;
	size_t count;
};

static int entry_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* the smaller symbol is inside the larger one, and follows it */
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->index > y->index ? -1 : 1;
}

static int binding_rank(const GElf_Sym *symbol)
{
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL: return 2;
	case STB_WEAK: return 1;
	default: return 0;
	}
}

static bool is_code(const GElf_Sym *symbol, const char *name)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return name && name[0] && symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static GElf_Addr section_end(Elf *elf, GElf_Word section, Dwarf_Addr bias)
{
	Elf_Scn *scn = elf ? elf_getscn(elf, section) : NULL;
	GElf_Shdr head;

	return scn && gelf_getshdr(scn, &head) ? bias + head.sh_addr + head.sh_size : 0;
}

struct flt_symtab *flt_symtab_new(Dwfl_Module *module)
{
	struct flt_symtab *t = calloc(1, sizeof(*t));
	int n = t ? dwfl_module_getsymtab(module) : 0, i;
	GElf_Addr start, reach = 0;
	GElf_Word section;
	Dwarf_Addr bias;
	const char *name;
	GElf_Sym symbol;
	size_t k;
	Elf *elf;

	if (!t)
		return NULL;
	t->entries = n > 0 ? calloc((size_t)n, sizeof(*t->entries)) : NULL;
	if (n > 0 && !t->entries) {
		free(t);
		return NULL;
	}
	for (i = 1; i < n; i++) {
		name = dwfl_module_getsym_info(module, i, &symbol, &start, &section, &elf, &bias);
		if (!is_code(&symbol, name) || start + symbol.st_size < start)
			continue;
		t->entries[t->count++] =
			(struct entry){ .start = start,
					.end = start + symbol.st_size,
					.name = name,
					.rank = binding_rank(&symbol),
					.index = i,
					.limit = symbol.st_size ? 0 :
								  section_end(elf, section, bias) };
	}
	if (t->count)
		qsort(t->entries, t->count, sizeof(*t->entries), entry_order);
	for (k = 0; k < t->count; k++) {
		if (t->entries[k].end > reach)
			reach = t->entries[k].end;
		t->entries[k].reach = reach;
	}
	return t;
}

void flt_symtab_free(struct flt_symtab *t)
{
	if (!t)
		return;
	free(t->entries);
	free(t);
}

const char *flt_symtab_find(const struct flt_symtab *t, GElf_Addr address, uint64_t *offset)
{
	const struct entry *sizeless = NULL, *e;
	size_t lo = 0, hi = t->count, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->entries[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo; lo--) {
		e = &t->entries[lo - 1];
		if (e->end > address)
			goto found;
		if (e->start == e->end && !sizeless)
			sizeless = e;
		if (e->reach <= address && (sizeless || e->start != e->end))
			break;
	}
	e = sizeless;
	if (!e || address >= e->limit || (lo && t->entries[lo - 1].reach > e->start))
		return NULL;
found:
	*offset = address - e->start;
	return e->name;
}
