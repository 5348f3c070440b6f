// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/thp/thp.h"
#include "source/proc/machine.h"
#include "source/proc/procfs.h"

#define ROOT "/sys/kernel/mm/transparent_hugepage"

/* Read a setting: the word in brackets ("always [madvise] never"), or else the whole line. */
static int read_setting(const char *name, char *out, size_t size)
{
	char path[160], text[128], *open, *close;
	int ret;

	snprintf(path, sizeof(path), "%s/%s", ROOT, name);
	ret = flt_machine_line(path, text, sizeof(text));
	if (ret < 0)
		return ret;
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		snprintf(out, size, "%.*s", (int)(close - open - 1), open + 1);
	else
		snprintf(out, size, "%s", text);
	return 0;
}

int thp_machine_settings(thp_fact_fn fn, void *arg)
{
	static const char *const names[] = {
		"enabled", "defrag", "use_zero_page", "shmem_enabled", "shrink_underused",
		"khugepaged/defrag", "khugepaged/max_ptes_none", "khugepaged/max_ptes_swap",
		"khugepaged/max_ptes_shared", "khugepaged/pages_to_scan",
		"khugepaged/scan_sleep_millisecs", "khugepaged/alloc_sleep_millisecs",
	};
	char value[128];
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < sizeof(names) / sizeof(names[0]); i++)
		if (!read_setting(names[i], value, sizeof(value)))
			ret = fn(arg, "setting", names[i], value);
	return ret;
}

/* Call fn for each size of huge pages. Stop at the first result that is not 0, and return it. */
static int each_size(int (*fn)(void *arg, const char *size), void *arg)
{
	const struct dirent *d;
	DIR *dir = opendir(ROOT);
	int ret = 0;

	while (dir && !ret && (d = readdir(dir)))
		if (!strncmp(d->d_name, "hugepages-", 10))
			ret = fn(arg, d->d_name);
	if (dir)
		closedir(dir);
	return ret;
}

static int is_on(void *arg, const char *size)
{
	char name[64], value[32];

	(void)arg;
	snprintf(name, sizeof(name), "%.40s/enabled", size);
	if (read_setting(name, value, sizeof(value)))
		return 0;
	return strcmp(value, "never") && strcmp(value, "inherit");
}

bool thp_machine_off(void)
{
	char value[32];

	return !read_setting("enabled", value, sizeof(value)) && !strcmp(value, "never") &&
	       !each_size(is_on, NULL);
}

static const char *const stats[THP_SIZE_STATS] = {
	"anon_fault_alloc", "anon_fault_fallback", "anon_fault_fallback_charge", "split",
	"split_failed", "split_deferred", "swpout", "swpout_fallback",
};

/* Counters of files and shmem, whose huge pages belong to no process, and of swap. */
static const char *const counters[THP_COUNTERS] = {
	"thp_file_alloc", "thp_file_fallback", "thp_file_fallback_charge", "thp_file_mapped",
	"thp_swpout", "thp_swpout_fallback",
};

static int64_t stat_of(const char *size, size_t i)
{
	char path[160];
	int64_t now;

	snprintf(path, sizeof(path), ROOT "/%.40s/stats/%s", size, stats[i]);
	return flt_machine_number(path, &now) ? -1 : now;
}

/* Read the counters of one size. Sizes beyond THP_SIZES are ignored. */
static int save_size(void *arg, const char *name)
{
	struct thp_before *before = arg;
	struct thp_size *size;
	size_t i;

	if (before->sizes == THP_SIZES)
		return 0;
	size = &before->size[before->sizes++];
	snprintf(size->name, sizeof(size->name), "%.31s", name);
	for (i = 0; i < THP_SIZE_STATS; i++)
		size->stat[i] = stat_of(name, i);
	return 0;
}

void thp_machine_begin(struct thp_before *before)
{
	before->sizes = 0;
	each_size(save_size, before);
	flt_procfs_vmstat(counters, before->counter, THP_COUNTERS);
}

static int report_size(const struct thp_size *size, thp_fact_fn fn, void *arg)
{
	char key[64], value[32];
	int64_t now;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < THP_SIZE_STATS; i++) {
		now = stat_of(size->name, i);
		if (now < 0 || now == size->stat[i])
			continue;
		snprintf(key, sizeof(key), "%.24s %s", size->name + strlen("hugepages-"), stats[i]);
		snprintf(value, sizeof(value), "%" PRId64, now - size->stat[i]);
		ret = fn(arg, "size", key, value);
	}
	return ret;
}

static int report_counters(const uint64_t before[THP_COUNTERS], thp_fact_fn fn, void *arg)
{
	uint64_t now[THP_COUNTERS];
	char value[32];
	size_t i;
	int ret = 0;

	if (flt_procfs_vmstat(counters, now, THP_COUNTERS))
		return 0;
	for (i = 0; !ret && i < THP_COUNTERS; i++) {
		if (now[i] == before[i])
			continue;
		snprintf(value, sizeof(value), "%" PRIu64, now[i] - before[i]);
		ret = fn(arg, "vmstat", counters[i], value);
	}
	return ret;
}

int thp_machine_since(const struct thp_before *before, thp_fact_fn fn, void *arg)
{
	size_t i;
	int ret = report_counters(before->counter, fn, arg);

	for (i = 0; !ret && i < before->sizes; i++)
		ret = report_size(&before->size[i], fn, arg);
	return ret;
}
