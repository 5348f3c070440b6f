// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/thp.h"
#include "source/machine.h"

#define ROOT "/sys/kernel/mm/transparent_hugepage"

/* "always [madvise] never" is madvise; other files are what they hold. */
static int setting(const char *name, char *out, size_t size)
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
		if (!setting(names[i], value, sizeof(value)))
			ret = fn(arg, "setting", names[i], value);
	return ret;
}

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
	if (setting(name, value, sizeof(value)))
		return 0;
	return strcmp(value, "never") && strcmp(value, "inherit");
}

bool thp_machine_off(void)
{
	char value[32];

	return !setting("enabled", value, sizeof(value)) && !strcmp(value, "never") &&
	       !each_size(is_on, NULL);
}

/* Counters of sizes, as they were at the first call. */
#define SIZES_MAX 16
#define STATS 8

static const char *const stats[STATS] = {
	"anon_fault_alloc", "anon_fault_fallback", "anon_fault_fallback_charge", "split",
	"split_failed", "split_deferred", "swpout", "swpout_fallback",
};

struct sizes {
	thp_fact_fn fn;
	void *arg;
};

static struct known_size {
	char name[32];
	int64_t first[STATS];
} known[SIZES_MAX];
static size_t known_sizes;

static int size_stats(void *arg, const char *size)
{
	const struct sizes *s = arg;
	char path[160], key[64], value[32];
	struct known_size *k;
	int64_t now;
	size_t i;
	int ret = 0;
	bool fresh;

	for (i = 0; i < known_sizes; i++)
		if (!strcmp(known[i].name, size))
			break;
	fresh = i == known_sizes;
	if (i == SIZES_MAX)
		return 0;
	k = &known[i];
	if (fresh) {
		snprintf(k->name, sizeof(k->name), "%s", size);
		known_sizes++;
	}
	for (i = 0; !ret && i < STATS; i++) {
		snprintf(path, sizeof(path), ROOT "/%.40s/stats/%s", size, stats[i]);
		if (flt_machine_number(path, &now))
			continue;
		if (fresh)
			k->first[i] = now;
		if (now == k->first[i])
			continue;
		snprintf(key, sizeof(key), "%.24s %s", size + 10, stats[i]);
		snprintf(value, sizeof(value), "%" PRId64, now - k->first[i]);
		ret = s->fn(s->arg, "size", key, value);
	}
	return ret;
}

int thp_machine_sizes(thp_fact_fn fn, void *arg)
{
	struct sizes s = { fn, arg };

	return each_size(size_stats, &s);
}
