// SPDX-License-Identifier: GPL-2.0-or-later
#include "row.h"

#include <err.h>
#include <string.h>

static const char *const account_names[FLT_ACCOUNT_MAX + 1] = {
#define NAME(member, attribute, ...) [FLT_ACCOUNT_##attribute] = #member,
	FLT_COUNTERS(NAME)
#undef NAME
};

static const char *const kind_names[FLT_KIND_MAX + 1] = {
	[FLT_KIND_UNKNOWN] = "unknown",	    [FLT_KIND_ANON] = "anon",
	[FLT_KIND_HUGE] = "huge",	    [FLT_KIND_FILE] = "file",
	[FLT_KIND_SHARED] = "shared",	    [FLT_KIND_COW] = "cow",
	[FLT_KIND_WP] = "wp",		    [FLT_KIND_SWAP] = "swap",
	[FLT_KIND_NUMA] = "numa",	    [FLT_KIND_MIGRATION] = "migration",
	[FLT_KIND_UFFD] = "uffd",	    [FLT_KIND_HUGETLB] = "hugetlb",
	[FLT_KIND_DEVICE] = "device",	    [FLT_KIND_SPURIOUS] = "spurious",
};

enum form { NUMBER = 1, STRING, FLAG, ACCOUNT, BUCKETS, REPEATED, COUNTS, MATRIX };

struct field {
	const char *name;
	enum form form;
	const char *const *names;	/* of COUNTS; NULL: print NAME.0, NAME.1 ... */
};

struct shape {
	const char *row;
	const struct field *fields;
	int max;
};

void account_read(struct account *acc, const struct nlattr *nest)
{
	memset(acc, 0, sizeof(*acc));
	genl_for_each(a, genl_data(nest), genl_len(nest)) {
		uint64_t id = 0, count = 0;

		if (genl_type(a) != FLT_ACCOUNT_KIND) {
			if (genl_type(a) <= FLT_ACCOUNT_MAX)
				acc->value[genl_type(a)] = genl_number(a);
			continue;
		}
		acc->kinds = 1;
		genl_for_each(k, genl_data(a), genl_len(a)) {
			if (genl_type(k) == FLT_KIND_ATTR_ID)
				id = genl_number(k);
			else if (genl_type(k) == FLT_KIND_ATTR_COUNT)
				count = genl_number(k);
		}
		if (id > FLT_KIND_MAX)
			errx(1, "unknown fault kind %llu", (unsigned long long)id);
		acc->kind[id] += count;
	}
}

void account_print(FILE *out, const char *prefix, const struct account *acc)
{
	for (int i = 1; i <= FLT_ACCOUNT_MAX; i++)
		if (account_names[i])
			fprintf(out, " %s%s=%llu", prefix, account_names[i],
				(unsigned long long)acc->value[i]);
	if (!acc->kinds)
		return;
	for (int i = 0; i <= FLT_KIND_MAX; i++)
		fprintf(out, " %skind.%s=%llu", prefix, kind_names[i],
			(unsigned long long)acc->kind[i]);
}

static void string_print(FILE *out, const char *key, const struct nlattr *a)
{
	const char *s = genl_data(a);

	fprintf(out, " %s=", key);
	for (size_t i = 0; i < genl_len(a) && s[i]; i++)
		fputc(s[i] > ' ' && s[i] <= '~' ? s[i] : '?', out);
}

static void buckets_print(FILE *out, const struct nlattr *nest)
{
	uint64_t sum = 0;

	genl_for_each(b, genl_data(nest), genl_len(nest)) {
		unsigned int i = genl_type(b) - 1u;

		if (i >= FLT_BUCKETS)
			continue; /* padding */
		fprintf(out, " bucket.%llu=%llu", (unsigned long long)flt_bucket_floor(i),
			(unsigned long long)genl_number(b));
		sum += genl_number(b);
	}
	fprintf(out, " count=%llu", (unsigned long long)sum);
}

static void counts_print(FILE *out, const struct field *f, const struct nlattr *nest)
{
	uint64_t sum = 0;

	genl_for_each(c, genl_data(nest), genl_len(nest)) {
		unsigned int i = genl_type(c) - 1u;

		if (f->names)
			fprintf(out, " %s=%llu", f->names[i], (unsigned long long)genl_number(c));
		else
			fprintf(out, " %s.%u=%llu", f->name, i, (unsigned long long)genl_number(c));
		sum += genl_number(c);
	}
	if (!f->names)
		fprintf(out, " %s=%llu", f->name, (unsigned long long)sum);
}

static void matrix_print(FILE *out, const char *name, const struct nlattr *a)
{
	size_t cells = genl_len(a) / sizeof(uint64_t), side = 1;
	uint64_t n;

	while (side * side < cells)
		side++;
	for (size_t i = 0; i < cells; i++) {
		memcpy(&n, (const char *)genl_data(a) + i * sizeof(n), sizeof(n));
		fprintf(out, " %s.%zu.%zu=%llu", name, i / side, i % side, (unsigned long long)n);
	}
}

void row_print(FILE *out, const struct shape *shape, const struct nlmsghdr *nlh)
{
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);
	struct account acc;

	fputs(shape->row, out);
	genl_for_each(a, first, bytes) {
		const struct field *f;
		char prefix[32];

		if (genl_type(a) > shape->max || !shape->fields[genl_type(a)].name)
			continue;
		f = &shape->fields[genl_type(a)];
		switch (f->form) {
		case NUMBER:
		case REPEATED:
			fprintf(out, " %s=%llu", f->name, (unsigned long long)genl_number(a));
			break;
		case STRING:
			string_print(out, f->name, a);
			break;
		case FLAG:
			fprintf(out, " %s=1", f->name);
			break;
		case ACCOUNT:
			account_read(&acc, a);
			snprintf(prefix, sizeof(prefix), "%s%s", f->name, *f->name ? "." : "");
			account_print(out, prefix, &acc);
			break;
		case BUCKETS:
			buckets_print(out, a);
			break;
		case COUNTS:
			counts_print(out, f, a);
			break;
		case MATRIX:
			matrix_print(out, f->name, a);
			break;
		}
	}
	fputc('\n', out);
}

static const struct field info_fields[FLT_INFO_MAX + 1] = {
	[FLT_INFO_API] = { "api", NUMBER },
	[FLT_INFO_SCHEMA] = { "schema", NUMBER },
	[FLT_INFO_VERSION] = { "version", STRING },
	[FLT_INFO_FEATURES] = { "features", NUMBER },
	[FLT_INFO_ACCOUNTING] = { "accounting", NUMBER },
	[FLT_INFO_SINCE] = { "since", NUMBER },
	[FLT_INFO_RETURNS] = { "returns", FLAG },
	[FLT_INFO_NOW] = { "now", NUMBER },
	[FLT_INFO_PROCS] = { "procs", NUMBER },
	[FLT_INFO_PROCS_MAX] = { "procs_max", NUMBER },
	[FLT_INFO_TASKS] = { "tasks", NUMBER },
	[FLT_INFO_TASKS_MAX] = { "tasks_max", NUMBER },
	[FLT_INFO_MEMORY] = { "memory", NUMBER },
	[FLT_INFO_SESSIONS] = { "sessions", NUMBER },
	[FLT_INFO_SESSIONS_MAX] = { "sessions_max", NUMBER },
	[FLT_INFO_MAXACTIVE] = { "maxactive", NUMBER },
	[FLT_INFO_CLOCK] = { "clock", STRING },
};

static const struct field hook_fields[FLT_HOOK_MAX + 1] = {
	[FLT_HOOK_NAME] = { "name", STRING },
	[FLT_HOOK_SYMBOL] = { "symbol", STRING },
	[FLT_HOOK_TYPE] = { "type", NUMBER },
	[FLT_HOOK_STATE] = { "state", NUMBER },
	[FLT_HOOK_ERROR] = { "error", NUMBER },
	[FLT_HOOK_REQUIRED] = { "required", FLAG },
	[FLT_HOOK_FTRACE] = { "ftrace", FLAG },
	[FLT_HOOK_HITS] = { "hits", NUMBER },
	[FLT_HOOK_MISSED_BUSY] = { "missed_busy", NUMBER },
	[FLT_HOOK_MISSED_FULL] = { "missed_full", NUMBER },
	[FLT_HOOK_UNKNOWN] = { "unknown", NUMBER },
};

static const struct field tally_fields[FLT_TALLY_MAX + 1] = {
	[FLT_TALLY_ALL] = { "all", ACCOUNT },
	[FLT_TALLY_RETIRED] = { "retired", ACCOUNT },
	[FLT_TALLY_OTHER] = { "other", ACCOUNT },
	[FLT_TALLY_FAILED_OOM] = { "failed_oom", NUMBER },
	[FLT_TALLY_FAILED_SIGBUS] = { "failed_sigbus", NUMBER },
	[FLT_TALLY_FAILED_SIGSEGV] = { "failed_sigsegv", NUMBER },
	[FLT_TALLY_FAILED_HWPOISON] = { "failed_hwpoison", NUMBER },
	[FLT_TALLY_FAILED_OTHER] = { "failed_other", NUMBER },
	[FLT_TALLY_PROCS_SEEN] = { "procs_seen", NUMBER },
	[FLT_TALLY_PROCS_RETIRED] = { "procs_retired", NUMBER },
	[FLT_TALLY_LOST_PROC] = { "lost_proc", NUMBER },
	[FLT_TALLY_LOST_TASK] = { "lost_task", NUMBER },
	[FLT_TALLY_LOST_BUSY] = { "lost_busy", NUMBER },
	[FLT_TALLY_LOST_FULL] = { "lost_full", NUMBER },
	[FLT_TALLY_CLOCK_BACK] = { "clock_back", NUMBER },
	[FLT_TALLY_NOW] = { "now", NUMBER },
};

static const struct field latency_fields[FLT_LATENCY_MAX + 1] = {
	[FLT_LATENCY_KIND] = { "kind", NUMBER },
	[FLT_LATENCY_RETURN] = { "return", NUMBER },
	[FLT_LATENCY_MAJOR] = { "major", FLAG },
	[FLT_LATENCY_PROC] = { "proc", NUMBER },
	[FLT_LATENCY_SUM] = { "sum", NUMBER },
	[FLT_LATENCY_MAXIMUM] = { "max", NUMBER },
	[FLT_LATENCY_BUCKETS] = { "buckets", BUCKETS },
};

static const struct field proc_fields[FLT_PROC_MAX + 1] = {
	[FLT_PROC_TGID] = { "tgid", NUMBER },	    [FLT_PROC_ID] = { "id", NUMBER },
	[FLT_PROC_START] = { "start", NUMBER },	    [FLT_PROC_COMM] = { "comm", STRING },
	[FLT_PROC_ENDED] = { "ended", FLAG },	    [FLT_PROC_WHOLE] = { "whole", FLAG },
	[FLT_PROC_THREADS] = { "threads", NUMBER }, [FLT_PROC_ACCOUNT] = { "", ACCOUNT },
	[FLT_PROC_FIRST] = { "first", NUMBER },	    [FLT_PROC_CGROUP] = { "cgroup", NUMBER },
};

static const struct field task_fields[FLT_TASK_MAX + 1] = {
	[FLT_TASK_TGID] = { "tgid", NUMBER },
	[FLT_TASK_TID] = { "tid", NUMBER },
	[FLT_TASK_COMM] = { "comm", STRING },
	[FLT_TASK_ACCOUNT] = { "", ACCOUNT },
};

static const struct field session_fields[FLT_SESSION_MAX + 1] = {
	[FLT_SESSION_ID] = { "id", NUMBER },
	[FLT_SESSION_TGID] = { "tgid", REPEATED },
	[FLT_SESSION_FOLLOW] = { "follow", FLAG },
	[FLT_SESSION_ACCOUNT] = { "", ACCOUNT },
	[FLT_SESSION_PROCS] = { "procs", NUMBER },
	[FLT_SESSION_LIVE] = { "live", NUMBER },
	[FLT_SESSION_UNTRACKED] = { "untracked", NUMBER },
};

static const char *const thp_names[__FLT_THP_COUNTS] = {
	[FLT_THP_FILLED] = "filled",
	[FLT_THP_ZERO] = "zero",
	[FLT_THP_NO_PAGE] = "no_page",
	[FLT_THP_NO_CHARGE] = "no_charge",
	[FLT_THP_UNFIT] = "unfit",
	[FLT_THP_LATE] = "late",
	[FLT_THP_ERROR] = "error",
	[FLT_THP_FILL_NS] = "fill_ns",
	[FLT_THP_FALLBACK_NS] = "fallback_ns",
	[FLT_THP_COLLAPSED] = "collapsed",
	[FLT_THP_COLLAPSED_CALL] = "collapsed_call",
	[FLT_THP_COLLAPSED_FILE] = "collapsed_file",
	[FLT_THP_COLLAPSE_TRIED] = "collapse_tried",
	[FLT_THP_SPLIT_FAILED] = "split_failed",
};

static const char *const numa_names[__FLT_NUMA_COUNTS] = {
	[FLT_NUMA_HINTS] = "hints",	     [FLT_NUMA_LOCAL] = "local",
	[FLT_NUMA_WANTED] = "wanted",	     [FLT_NUMA_TRIED] = "tried",
	[FLT_NUMA_FAILED] = "failed",	     [FLT_NUMA_MOVE_NS] = "move_ns",
	[FLT_NUMA_TASK_MOVED] = "task_moved", [FLT_NUMA_TASK_STUCK] = "task_stuck",
	[FLT_NUMA_TASK_SWAPPED] = "task_swapped",
};

#define LEDGER_FIELDS(counts)					\
	[FLT_LEDGER_WHOSE] = { "whose", NUMBER },		\
	[FLT_LEDGER_TGID] = { "tgid", NUMBER },			\
	[FLT_LEDGER_ID] = { "id", NUMBER },			\
	[FLT_LEDGER_COMM] = { "comm", STRING },			\
	[FLT_LEDGER_ENDED] = { "ended", FLAG },			\
	[FLT_LEDGER_FAULTS] = { "faults", NUMBER },		\
	[FLT_LEDGER_FAULT_NS] = { "fault_ns", NUMBER },		\
	[FLT_LEDGER_COUNTS] = { "counts", COUNTS, counts },	\
	[FLT_LEDGER_OCTAVES] = { "octave", COUNTS },		\
	[FLT_LEDGER_SCANS] = { "scan", COUNTS },		\
	[FLT_LEDGER_SPLIT_MAPS] = { "map_split", COUNTS },	\
	[FLT_LEDGER_SPLIT_PAGES] = { "page_split", COUNTS },	\
	[FLT_LEDGER_MOVED] = { "moved", COUNTS },		\
	[FLT_LEDGER_NOT_MOVED] = { "not_moved", COUNTS },	\
	[FLT_LEDGER_NODES] = { "nodes", NUMBER },		\
	[FLT_LEDGER_MATRIX] = { "matrix", MATRIX },		\
	[FLT_LEDGER_UNKNOWN] = { "unknown", NUMBER }

static const struct field thp_fields[FLT_LEDGER_MAX + 1] = { LEDGER_FIELDS(thp_names) };
static const struct field numa_fields[FLT_LEDGER_MAX + 1] = { LEDGER_FIELDS(numa_names) };

static const struct field slowest_fields[FLT_SLOWEST_ATTR_MAX + 1] = {
	[FLT_SLOWEST_LATENCY] = { "latency", NUMBER },
	[FLT_SLOWEST_TGID] = { "tgid", NUMBER },
	[FLT_SLOWEST_TID] = { "tid", NUMBER },
	[FLT_SLOWEST_COMM] = { "comm", STRING },
};

const struct shape slowest_shape = { "slowest", slowest_fields, FLT_SLOWEST_ATTR_MAX };
const struct shape thp_shape = { "thp", thp_fields, FLT_LEDGER_MAX };
const struct shape numa_shape = { "numa", numa_fields, FLT_LEDGER_MAX };
const struct shape info_shape = { "info", info_fields, FLT_INFO_MAX };
const struct shape hook_shape = { "hook", hook_fields, FLT_HOOK_MAX };
const struct shape tally_shape = { "tally", tally_fields, FLT_TALLY_MAX };
const struct shape latency_shape = { "latency", latency_fields, FLT_LATENCY_MAX };
const struct shape proc_shape = { "proc", proc_fields, FLT_PROC_MAX };
const struct shape task_shape = { "task", task_fields, FLT_TASK_MAX };
const struct shape base_shape = { "base", session_fields, FLT_SESSION_MAX };
const struct shape session_shape = { "session", session_fields, FLT_SESSION_MAX };
