// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/recording/filter.h"

#include <errno.h>
#include <string.h>

static const char *const kind_names[] = {
	[FLT_KIND_UNKNOWN] = "unknown", [FLT_KIND_ANON] = "anon",
	[FLT_KIND_HUGE] = "huge",	[FLT_KIND_FILE] = "file",
	[FLT_KIND_SHARED] = "shared",	[FLT_KIND_COW] = "cow",
	[FLT_KIND_WP] = "wp",		[FLT_KIND_SWAP] = "swap",
	[FLT_KIND_NUMA] = "numa",	[FLT_KIND_MIGRATION] = "migration",
	[FLT_KIND_UFFD] = "uffd",	[FLT_KIND_HUGETLB] = "hugetlb",
	[FLT_KIND_DEVICE] = "device",	[FLT_KIND_SPURIOUS] = "spurious",
};

_Static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == __FLT_KIND_MAX,
	       "a name for each kind");

const char *flt_fault_filter_kind_name(unsigned int kind)
{
	return kind < __FLT_KIND_MAX ? kind_names[kind] : "unknown";
}

static int list_parse(const char *list, const char *const *names, size_t n, uint32_t *bits,
		      const char **bad)
{
	size_t length, i;

	*bits = 0;
	for (;;) {
		length = strcspn(list, ",");
		for (i = 0; i < n; i++)
			if (strlen(names[i]) == length && !strncmp(names[i], list, length))
				break;
		if (i == n) {
			*bad = list;
			return -EINVAL;
		}
		*bits |= 1u << i;
		if (!list[length])
			return 0;
		list += length + 1;
	}
}

int flt_fault_filter_kinds(const char *list, uint32_t *kinds, const char **bad)
{
	return list_parse(list, kind_names, __FLT_KIND_MAX, kinds, bad);
}

int flt_fault_filter_ops(const char *list, uint32_t *ops, const char **bad)
{
	const char *names[__FLT_OP_LAST];
	int i;

	for (i = 0; i < __FLT_OP_LAST; i++)
		names[i] = flt_op_name(i);
	return list_parse(list, names, __FLT_OP_LAST, ops, bad);
}

bool flt_fault_filter_match(const struct flt_fault_filter *s, const struct flt_recording *rec,
			    const struct flt_fault *f)
{
	const struct flt_image *image;
	size_t i;

	if (s->kinds && !(s->kinds & 1u << f->kind))
		return false;
	if (s->ops && !(s->ops & 1u << flt_op_of(f)))
		return false;
	if (s->touches && !(s->touches & 1u << flt_touch_of(f)))
		return false;
	if (s->major && !(f->flags & FLT_FAULT_MAJOR))
		return false;
	if (f->time < s->from || (s->until && f->time >= s->until))
		return false;
	if (!s->pid_count)
		return true;
	image = flt_recording_image(rec, f->image);
	for (i = 0; image && i < s->pid_count; i++)
		if (image->pid == s->pids[i])
			return true;
	return false;
}
