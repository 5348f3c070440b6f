// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/unwind/table_index.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 1

static const unsigned char head[] = {
	VERSION, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
	DW_EH_PE_datarel | DW_EH_PE_sdata4,
};

struct entry {
	int32_t function, fde;	/* relative to the index */
};

_Static_assert(sizeof(struct entry) == FLT_UNWIND_INDEX_ENTRY, "as in the file");

uint64_t flt_unwind_index_count(const struct flt_unwind_section *index)
{
	uint32_t count;
	size_t room;

	if (!index->bytes || index->size < FLT_UNWIND_INDEX_HEADER ||
	    memcmp(index->bytes, head, sizeof(head)))
		return 0;
	memcpy(&count, index->bytes + FLT_UNWIND_INDEX_HEADER - sizeof(count), sizeof(count));
	room = (index->size - FLT_UNWIND_INDEX_HEADER) / FLT_UNWIND_INDEX_ENTRY;
	return count <= room ? count : 0;
}

static uint32_t word(const struct flt_unwind_section *s, size_t at)
{
	uint32_t value;

	memcpy(&value, s->bytes + at, sizeof(value));
	return value;
}

/*
 * Return the encoding of addresses in the FDEs of a CIE whose fields begin at `at` and end at
 * `end`. Only "zR" and its extensions are written for x86-64; R is the first field that follows.
 */
static unsigned char encoding_of(const struct flt_unwind_section *s, size_t at, size_t end)
{
	size_t augmentation = at + 5, i, numbers;

	if (augmentation + 3 > end || s->bytes[augmentation] != 'z')
		return DW_EH_PE_absptr;
	for (i = augmentation; i < end && s->bytes[i]; i++)
		;
	/* Code alignment, data alignment, return address column, size of the augmentation. */
	for (i++, numbers = 0; i < end && numbers < 4; i++)
		numbers += !(s->bytes[i] & 0x80);
	for (at = augmentation + 1; i < end; at++, i++) {
		if (s->bytes[at] == 'R')
			return s->bytes[i];
		if (s->bytes[at] == 'P')	/* an encoding and an address in it */
			i += (s->bytes[i] & 0x0f) == DW_EH_PE_absptr ||
			     (s->bytes[i] & 0x07) == DW_EH_PE_udata8 ? 8 : 4;
		else if (s->bytes[at] != 'L' && s->bytes[at] != 'S')
			break;
		if (s->bytes[at] == 'S')
			i--;
	}
	return DW_EH_PE_omit;
}

/* Read the address of a function at `at` of the table. Return false for other encodings. */
static bool function_at(const struct flt_unwind_section *s, size_t at, size_t end,
			unsigned char encoding, uint64_t *address)
{
	uint64_t value = 0;

	switch (encoding & 0x0f) {
	case DW_EH_PE_sdata4:
	case DW_EH_PE_udata4:
		if (at + 4 > end)
			return false;
		value = word(s, at);
		if ((encoding & 0x0f) == DW_EH_PE_sdata4)
			value = (uint64_t)(int64_t)(int32_t)value;
		break;
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		if (at + 8 > end)
			return false;
		memcpy(&value, s->bytes + at, sizeof(value));
		break;
	default:
		return false;
	}
	*address = (encoding & 0x70) == DW_EH_PE_pcrel ? s->address + at + value : value;
	return (encoding & 0xf0) == DW_EH_PE_pcrel || !(encoding & 0xf0);
}

/* Write an entry for each FDE, at most `room`. Return the number of FDEs with a known address. */
static size_t entries_write(const struct flt_unwind_section *index,
			    const struct flt_unwind_section *s, struct entry *out, size_t room)
{
	size_t at = 0, end, id, cie, count = 0;
	uint64_t function;

	while (s->size - at >= 8 && word(s, at) && word(s, at) != UINT32_MAX) {
		id = at + 4;
		if (word(s, at) < 4 || word(s, at) > s->size - id)
			break;
		end = id + word(s, at);
		cie = id - word(s, id);
		if (word(s, id) && word(s, id) <= id && cie + 8 <= id &&
		    word(s, cie) <= s->size - cie - 4 &&
		    function_at(s, id + 4, end,
				encoding_of(s, cie + 4, cie + 4 + word(s, cie)), &function)) {
			if (count < room)
				out[count] = (struct entry){
					(int32_t)(function - index->address),
					(int32_t)(s->address + at - index->address),
				};
			count++;
		}
		at = end;
	}
	return count;
}

static int by_function(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->function > y->function) - (x->function < y->function);
}

uint64_t flt_unwind_index_make(struct flt_unwind_section *index,
			       const struct flt_unwind_section *frames)
{
	const size_t count = entries_write(index, frames, NULL, 0);
	struct entry *entries;
	uint32_t n = (uint32_t)count;

	if (!count)
		return 0;
	index->size = FLT_UNWIND_INDEX_HEADER + count * FLT_UNWIND_INDEX_ENTRY;
	index->bytes = calloc(1, index->size);
	if (!index->bytes)
		return 0;
	memcpy(index->bytes, head, sizeof(head));
	memcpy(index->bytes + FLT_UNWIND_INDEX_HEADER - sizeof(n), &n, sizeof(n));
	entries = (struct entry *)(index->bytes + FLT_UNWIND_INDEX_HEADER);
	entries_write(index, frames, entries, count);
	qsort(entries, count, sizeof(*entries), by_function);
	return count;
}
