// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of code: cache by place, inlined functions, demangling. */
#include "model/code/symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/code/elffile.h"
#include "model/code/internals.h"
#include "model/code/jitdump.h"
#include "model/code/perfmap.h"
#include "model/recording/strings.h"

/* Maximum number of inlined functions at one place. */
#define INLINE_MAX 64
#define NAME_BYTES_MAX (512u << 20)
/* Longer names are not demangled: malicious names could take unbounded stack and time. */
#define MANGLED_MAX 4096

char *__cxa_demangle(const char *mangled, char *out, size_t *length, int *status);

struct object {
	bool opened;
	struct flt_elf_file *elf;	/* NULL: not readable */
	/* Of the process of FLT_OBJECT_ANON; NULL: not readable. */
	struct flt_jitdump *dump;
	struct flt_perf_map *map;
};

struct flt_symbols {
	const struct flt_recording *rec;
	struct flt_symbols_setup setup;
	struct object *objects;
	uint32_t object_room;
	struct flt_frames **frames;	/* by place */
	uint32_t frame_room;
	struct flt_strings *strings;
	size_t missing;
	const char *first_missing;
	flt_symbols_watch_fn watch;	/* NULL: none */
	void *watch_arg;
};

const char *flt_symbols_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int flt_symbols_new(struct flt_symbols **out, const struct flt_recording *rec,
		    const struct flt_symbols_setup *setup)
{
	struct flt_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->rec = rec;
	s->setup = *setup;
	s->strings = flt_strings_new(NAME_BYTES_MAX);
	if (!s->strings) {
		free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

void flt_symbols_free(struct flt_symbols *s)
{
	uint32_t i;

	if (!s)
		return;
	for (i = 0; i < s->frame_room; i++)
		if (s->frames[i]) {
			free((void *)(uintptr_t)s->frames[i]->frame);
			free(s->frames[i]);
		}
	free(s->frames);
	for (i = 0; i < s->object_room; i++) {
		flt_elf_file_close(s->objects[i].elf);
		flt_jitdump_free(s->objects[i].dump);
		flt_perf_map_free(s->objects[i].map);
	}
	free(s->objects);
	flt_strings_free(s->strings);
	free(s);
}

size_t flt_symbols_missing(const struct flt_symbols *s, const char **first)
{
	*first = s->first_missing;
	return s->missing;
}

/* Make room for all current places and objects of the recording. */
static int rooms_grow(struct flt_symbols *s)
{
	uint32_t objects = s->rec->object_count, frames = s->rec->place_count;
	void *fresh;

	if (objects > s->object_room) {
		fresh = reallocarray(s->objects, objects, sizeof(*s->objects));
		if (!fresh)
			return -ENOMEM;
		s->objects = fresh;
		memset(s->objects + s->object_room, 0,
		       (objects - s->object_room) * sizeof(*s->objects));
		s->object_room = objects;
	}
	if (frames > s->frame_room) {
		fresh = reallocarray(s->frames, frames, sizeof(struct flt_frames *));
		if (!fresh)
			return -ENOMEM;
		s->frames = fresh;
		memset(s->frames + s->frame_room, 0,
		       (frames - s->frame_room) * sizeof(struct flt_frames *));
		s->frame_room = frames;
	}
	return 0;
}

/* Read what the compiler in a process wrote about its code. */
static void jit_open(struct flt_symbols *s, struct object *object, uint32_t pid)
{
	const char *dir = s->setup.map_dir ? s->setup.map_dir : "/tmp";
	const struct flt_object *o;
	char path[PATH_MAX];
	uint32_t i;

	object->map = flt_perf_map_load(dir, pid);
	for (i = 0; i < s->rec->object_count && !object->dump; i++) {
		o = &s->rec->objects[i];
		if (o->kind == FLT_OBJECT_FILE && flt_jitdump_is_path(o->name, pid) &&
		    snprintf(path, sizeof(path), "%s%s", s->setup.root ? s->setup.root : "",
			     o->name) < (int)sizeof(path))
			object->dump = flt_jitdump_load(path, pid);
	}
}

static struct object *object_open(struct flt_symbols *s, uint32_t index)
{
	const struct flt_object *o = &s->rec->objects[index];
	struct object *object = &s->objects[index];
	struct flt_page_size page;

	if (object->opened || s->setup.no_symbols)
		return object;
	object->opened = true;
	page = flt_recording_page_size(s->rec);
	switch (o->kind) {
	case FLT_OBJECT_FILE:
		object->elf = flt_elf_file_open(s->setup.root, o, page);
		break;
	case FLT_OBJECT_VDSO:
		object->elf = flt_elf_file_vdso(o, page);
		break;
	case FLT_OBJECT_ANON:
		jit_open(s, object, o->pid);
		break;
	default:
		break;
	}
	if (o->kind == FLT_OBJECT_FILE && !object->elf && !s->missing++)
		s->first_missing = o->name;
	return object;
}

static const char *demangle(struct flt_symbols *s, const char *name)
{
	const char *kept;
	char *plain;
	int status;

	if (name[0] != '_' || name[1] != 'Z' || strlen(name) > MANGLED_MAX)
		return flt_strings_add(s->strings, name);
	plain = __cxa_demangle(name, NULL, NULL, &status);
	kept = flt_strings_add(s->strings, plain && !status ? plain : name);
	free(plain);
	return kept;
}

/* Prefer the linkage name, because it contains namespaces and arguments. */
static const char *die_name(struct flt_symbols *s, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	if (!name && dwarf_attr_integrate(die, DW_AT_name, &attr))
		name = dwarf_formstring(&attr);
	return name ? demangle(s, name) : NULL;
}

struct stack {
	struct flt_frame frame[INLINE_MAX];
	size_t count;
};

/* Set file and line of the outer frame to the call of the inlined function. */
static void call_site(struct flt_symbols *s, Dwarf_Die *cu, Dwarf_Die *die, struct flt_frame *outer)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	Dwarf_Files *files;
	const char *file;
	size_t n;

	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &value))
		outer->line = (uint32_t)value;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &value) ||
	    dwarf_getsrcfiles(cu, &files, &n))
		return;
	file = value < n ? dwarf_filesrc(files, value, NULL, NULL) : NULL;
	if (file)
		outer->file = flt_strings_add(s->strings, file);
}

static void inlines_add(struct flt_symbols *s, Dwfl_Module *module, Dwarf_Addr address,
			struct stack *stack)
{
	Dwarf_Addr bias;
	Dwarf_Die *cu = dwfl_module_addrdie(module, address, &bias), *inner = NULL, *scopes = NULL;
	const char *name;
	int n, i;

	/* After an inlined function, these are the scopes of its source, not of its call. */
	n = cu ? dwarf_getscopes(cu, address - bias, &inner) : -1;
	if (n > 0)
		n = dwarf_getscopes_die(&inner[0], &scopes);
	for (i = 0; i < n && stack->count < INLINE_MAX; i++) {
		switch (dwarf_tag(&scopes[i])) {
		case DW_TAG_inlined_subroutine:
			name = die_name(s, &scopes[i]);
			stack->frame[stack->count - 1].function = name;
			stack->frame[stack->count - 1].inlined = true;
			stack->frame[stack->count] = (struct flt_frame){ 0 };
			call_site(s, cu, &scopes[i], &stack->frame[stack->count++]);
			break;
		case DW_TAG_subprogram:
			name = die_name(s, &scopes[i]);
			if (name)
				stack->frame[stack->count - 1].function = name;
			i = n;
			break;
		default:
			break;
		}
	}
	free(scopes);
	free(inner);
}

static void elf_lookup(struct flt_symbols *s, struct flt_elf_file *elf, uint64_t offset,
		       struct stack *stack, uint64_t *in_symbol)
{
	Dwfl_Module *module = flt_elf_file_module(elf);
	Dwarf_Addr address;
	Dwfl_Line *line;
	const char *name, *file;
	int number;

	if (!flt_elf_file_address(elf, offset, &address))
		return;
	line = dwfl_module_getsrc(module, address);
	file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	if (file) {
		stack->frame[0].file = flt_strings_add(s->strings, file);
		stack->frame[0].line = number > 0 ? (uint32_t)number : 0;
	}
	if (!s->setup.no_inlines)
		inlines_add(s, module, address, stack);
	name = flt_elf_file_symbol(elf, address, in_symbol);
	if (name && !stack->frame[stack->count - 1].function)
		stack->frame[stack->count - 1].function = demangle(s, name);
}

static void jit_lookup(struct flt_symbols *s, const struct object *object, uint64_t address,
		       struct flt_frame *frame, uint64_t *in_symbol)
{
	struct flt_jitdump_code code = { 0 };

	if (object->dump && flt_jitdump_find(object->dump, address, &code))
		*in_symbol = code.offset;
	else if (object->map)
		code.function = flt_perf_map_find(object->map, address, in_symbol);
	if (code.function)
		frame->function = flt_strings_add(s->strings, code.function);
	if (code.file) {
		frame->file = flt_strings_add(s->strings, code.file);
		frame->line = code.line;
	}
}

/* Name code without a symbol by object and offset. */
static void labels_set(struct flt_symbols *s, const struct flt_frames *frames, struct stack *stack)
{
	char text[256];
	size_t i;

	for (i = 0; i < stack->count; i++) {
		stack->frame[i].named = stack->frame[i].function;
		if (stack->frame[i].named)
			continue;
		snprintf(text, sizeof(text), "%.200s+0x%llx", flt_symbols_base(frames->object),
			 (unsigned long long)frames->offset);
		stack->frame[i].function = flt_strings_add(s->strings, text);
		if (!stack->frame[i].function)
			stack->frame[i].function = "[out of memory]";
	}
}

/* Show a function of the recorder as the program called it, without its source. */
static void hide_inner(struct flt_symbols *s, struct stack *stack)
{
	const char *name = stack->frame[stack->count - 1].function;

	stack->frame[0] = (struct flt_frame){
		.function = name ? flt_strings_add(s->strings, flt_internals_public_name(name)) :
				   NULL,
	};
	stack->count = 1;
}

static struct flt_frames *frames_new(struct flt_symbols *s, uint32_t place)
{
	const struct flt_place *p = &s->rec->places[place];
	const struct flt_object *o = &s->rec->objects[p->object];
	struct object *object = object_open(s, p->object);
	struct flt_frames *frames = calloc(1, sizeof(*frames));
	struct stack stack = { .count = 1 };
	struct flt_frame *copy;

	if (!frames)
		return NULL;
	frames->offset = p->offset;
	frames->object = o->kind == FLT_OBJECT_UNKNOWN ? "[unknown]" :
			 o->name[0]		       ? o->name :
							 "[anon]";
	if (object->elf) {
		elf_lookup(s, object->elf, p->offset, &stack, &frames->offset);
	} else {
		jit_lookup(s, object, p->offset, &stack.frame[0], &frames->offset);
	}
	if (flt_recording_hides(s->rec, place))
		hide_inner(s, &stack);
	labels_set(s, frames, &stack);
	copy = malloc(stack.count * sizeof(*copy));
	if (!copy) {
		free(frames);
		return NULL;
	}
	memcpy(copy, stack.frame, stack.count * sizeof(*copy));
	frames->frame = copy;
	frames->count = stack.count;
	return frames;
}

void flt_symbols_watch(struct flt_symbols *s, flt_symbols_watch_fn fn, void *arg)
{
	s->watch = fn;
	s->watch_arg = arg;
}

static void call_watch(const struct flt_symbols *s, uint32_t place)
{
	const struct flt_object *o = &s->rec->objects[s->rec->places[place].object];

	if (s->watch && !s->setup.no_symbols)
		s->watch(s->watch_arg, flt_symbols_base(o->name));
}

const struct flt_frames *flt_symbols_at(struct flt_symbols *s, uint32_t place)
{
	if ((place >= s->frame_room || s->rec->object_count > s->object_room) && rooms_grow(s))
		return NULL;
	if (!s->frames[place]) {
		call_watch(s, place);
		s->frames[place] = frames_new(s, place);
	}
	return s->frames[place];
}
