// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kind_names[] = {
	[FLT_KIND_UNKNOWN] = "unknown",
	[FLT_KIND_ANON] = "anon",
	[FLT_KIND_HUGE] = "huge",
	[FLT_KIND_FILE] = "file",
	[FLT_KIND_SHARED] = "shared",
	[FLT_KIND_COW] = "cow",
	[FLT_KIND_WP] = "wp",
	[FLT_KIND_SWAP] = "swap",
	[FLT_KIND_NUMA] = "numa",
	[FLT_KIND_MIGRATION] = "migration",
	[FLT_KIND_UFFD] = "uffd",
	[FLT_KIND_HUGETLB] = "hugetlb",
	[FLT_KIND_DEVICE] = "device",
	[FLT_KIND_SPURIOUS] = "spurious",
};

_Static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == __FLT_KIND_MAX,
	       "every kind has a name");

static const char *const cause_names[] = {
	[FLT_CAUSE_OTHER] = "other",
	[FLT_CAUSE_IO] = "io",
	[FLT_CAUSE_SWAP] = "swap",
	[FLT_CAUSE_RECLAIM] = "reclaim",
	[FLT_CAUSE_COMPACTION] = "compaction",
	[FLT_CAUSE_THRASHING] = "thrashing",
	[FLT_CAUSE_COPY] = "copy",
	[FLT_CAUSE_QUEUE] = "queue",
	[FLT_CAUSE_USERFAULTFD] = "userfaultfd",
	[FLT_CAUSE_UNMEASURED] = "unmeasured",
	[FLT_CAUSE_LOCK] = "lock",
};

_Static_assert(sizeof(cause_names) / sizeof(cause_names[0]) == __FLT_CAUSE_MAX,
	       "every cause has a name");

static const char *const failure_names[] = {
	[FLT_FAILURE_OOM] = "oom",
	[FLT_FAILURE_SIGBUS] = "sigbus",
	[FLT_FAILURE_SIGSEGV] = "sigsegv",
	[FLT_FAILURE_HWPOISON] = "hwpoison",
	[FLT_FAILURE_OTHER] = "other",
};

static const char *const return_names[] = {
	[FLT_RETURN_NONE] = "0",
	[FLT_RETURN_OOM] = "OOM",
	[FLT_RETURN_SIGBUS] = "SIGBUS",
	[FLT_RETURN_MAJOR] = "MAJOR",
	[FLT_RETURN_WRITE] = "WRITE",
	[FLT_RETURN_HWPOISON] = "HWPOISON",
	[FLT_RETURN_HWPOISON_LARGE] = "HWPOISON_LARGE",
	[FLT_RETURN_SIGSEGV] = "SIGSEGV",
	[FLT_RETURN_NOPAGE] = "NOPAGE",
	[FLT_RETURN_LOCKED] = "LOCKED",
	[FLT_RETURN_RETRY] = "RETRY",
	[FLT_RETURN_FALLBACK] = "FALLBACK",
	[FLT_RETURN_DONE_COW] = "DONE_COW",
	[FLT_RETURN_NEEDDSYNC] = "NEEDDSYNC",
	[FLT_RETURN_COMPLETED] = "COMPLETED",
	[FLT_RETURN_OTHER] = "other",
};

_Static_assert(sizeof(return_names) / sizeof(return_names[0]) == __FLT_RETURN_MAX,
	       "every bit has a name");

const char *flt_kind_name(uint32_t kind)
{
	return kind < __FLT_KIND_MAX ? kind_names[kind] : "unknown";
}

const char *flt_cause_name(uint32_t cause)
{
	return cause < __FLT_CAUSE_MAX ? cause_names[cause] : "other";
}

const char *flt_cause_main(const uint64_t part[__FLT_CAUSE_MAX], uint64_t ns,
			   char text[FLT_CAUSE_TEXT])
{
	uint32_t i, most = 0;

	for (i = 1; i < FLT_CAUSE_PARTS; i++)
		if (part[i] > part[most])
			most = i;
	if (!part[most] || !ns)
		return NULL;
	snprintf(text, FLT_CAUSE_TEXT, "%s %.0f%%", flt_cause_name(most),
		 100.0 * (double)part[most] / (double)ns);
	return text;
}

const char *flt_failure_name(uint32_t failure)
{
	return failure < __FLT_FAILURE_MAX ? failure_names[failure] : "other";
}

int flt_rows_add(struct flt_rows *rows, const struct flt_row *row)
{
	size_t room = rows->room ? rows->room * 2 : 64;
	struct flt_row *grown;

	if (rows->count == rows->room) {
		grown = reallocarray(rows->row, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		rows->row = grown;
		rows->room = room;
	}
	rows->row[rows->count++] = *row;
	return 0;
}

void flt_rows_free(struct flt_rows *rows)
{
	free(rows->row);
	*rows = (struct flt_rows){ 0 };
}

const char *flt_result_name(uint32_t result)
{
	if (result == FLT_RESULT_MINOR)
		return "minor";
	return result == FLT_RESULT_MAJOR ? "major" : flt_failure_name(result - FLT_RESULT_FAILED);
}

const char *flt_return_name(uint32_t returned)
{
	return returned < __FLT_RETURN_MAX ? return_names[returned] : "other";
}
