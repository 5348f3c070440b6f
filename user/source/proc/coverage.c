// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/coverage.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/proc/machine.h"

static FILE *open_of(uint32_t pid, const char *name, int *err)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	f = fopen(path, "re");
	if (!f)
		*err = errno == ENOENT ? -ESRCH : -errno;
	return f;
}

struct region {
	uint64_t start, end, resident, huge;
	bool known;
};

static uint64_t whole(const struct region *r, uint64_t size)
{
	uint64_t start = (r->start + size - 1) / size * size, end = r->end / size * size;

	return end > start ? end - start : 0;
}

/* Read a line of smaps: the head of a region, or "Key:  N kB". */
static void take_line(const char *line, uint64_t huge_size, struct region *r,
		      struct flt_coverage *out)
{
	uint64_t start, end, value;
	char key[32];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2) {
		*r = (struct region){ .start = start, .end = end, .known = true };
		return;
	}
	if (!r->known || sscanf(line, "%31[^:]: %" SCNu64, key, &value) != 2)
		return;
	if (!strcmp(key, "Rss"))
		r->resident = value << 10;
	else if (!strcmp(key, "AnonHugePages") || !strcmp(key, "ShmemPmdMapped") ||
		 !strcmp(key, "FilePmdMapped")) {
		out->huge += value << 10;
		r->huge += value << 10;
	} else if (!strcmp(key, "THPeligible") && value) {
		out->eligible += whole(r, huge_size);
		out->resident += r->resident;
		out->covered += r->huge;
	}
}

void flt_coverage_parse(char *text, uint64_t huge_size, struct flt_coverage *out)
{
	struct region r = { 0 };
	char *line, *rest = NULL;

	*out = (struct flt_coverage){ 0 };
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		take_line(line, huge_size, &r, out);
}

int flt_coverage_read(uint32_t pid, struct flt_coverage *out)
{
	struct region r = { 0 };
	const uint64_t huge_size = flt_machine_huge_page();
	char line[512];
	int err = 0;
	FILE *f;

	*out = (struct flt_coverage){ 0 };
	if (!huge_size)
		return -EOPNOTSUPP;
	f = open_of(pid, "smaps", &err);
	if (!f)
		return err;
	while (fgets(line, sizeof(line), f))
		take_line(line, huge_size, &r, out);
	/* The process ended while the file was read. */
	err = ferror(f) ? -ESRCH : 0;
	fclose(f);
	return err;
}

bool flt_node_map_parse(char *line, uint64_t page, struct flt_node_map *out)
{
	uint64_t each = 1, any = 0;
	char *word, *rest = NULL, *end;
	size_t i;

	*out = (struct flt_node_map){ .what = "anon" };
	word = strtok_r(line, " \n", &rest);
	if (!word)
		return false;
	out->address = strtoull(word, &end, 16);
	if (*end)
		return false;
	while ((word = strtok_r(NULL, " \n", &rest))) {
		if (!strncmp(word, "file=", 5))
			snprintf(out->what, sizeof(out->what), "%s",
				 strlen(word) > 60 ? word + strlen(word) - 60 : word + 5);
		else if (!strcmp(word, "heap") || !strcmp(word, "stack"))
			snprintf(out->what, sizeof(out->what), "%s", word);
		else if (!strncmp(word, "kernelpagesize_kB=", 18))
			each = (strtoull(word + 18, NULL, 10) << 10) / page;
		else if (word[0] == 'N' && isdigit((unsigned char)word[1])) {
			i = strtoul(word + 1, &end, 10);
			if (*end != '=')
				continue;
			if (i >= FLT_COVERAGE_NODES)
				i = FLT_COVERAGE_NODES - 1;
			out->pages[i] += strtoull(end + 1, NULL, 10);
		}
	}
	for (i = 0; i < FLT_COVERAGE_NODES; i++) {
		out->pages[i] *= each ? each : 1;
		any |= out->pages[i];
	}
	return any;
}

int flt_node_maps_read(uint32_t pid, int (*fn)(void *arg, const struct flt_node_map *map),
		       void *arg)
{
	const uint64_t page = flt_machine_page();
	struct flt_node_map map;
	char line[1024];
	int ret = 0;
	FILE *f;

	f = open_of(pid, "numa_maps", &ret);
	if (!f)
		return ret;
	while (!ret && fgets(line, sizeof(line), f))
		if (flt_node_map_parse(line, page, &map))
			ret = fn(arg, &map);
	fclose(f);
	return ret;
}

static uint32_t node_of_cpu(uint32_t cpu)
{
	char path[64];
	const struct dirent *d;
	uint32_t node = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%" PRIu32, cpu);
	dir = opendir(path);
	while (dir && (d = readdir(dir)))
		if (sscanf(d->d_name, "node%" SCNu32, &node) == 1)
			break;
	if (dir)
		closedir(dir);
	return node < FLT_COVERAGE_NODES ? node : FLT_COVERAGE_NODES - 1;
}

int flt_node_threads(uint32_t pid, uint32_t threads[FLT_COVERAGE_NODES])
{
	char path[80], text[1024], *field;
	const struct dirent *d;
	uint32_t cpu;
	int i, any = 0;
	DIR *dir;

	memset(threads, 0, FLT_COVERAGE_NODES * sizeof(*threads));
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((d = readdir(dir))) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%.16s/stat", pid, d->d_name);
		if (flt_machine_line(path, text, sizeof(text)) < 0)
			continue;
		/* The name may contain any byte. After the name, the CPU is the 37th field. */
		field = strrchr(text, ')');
		for (i = 0; field && i < 37; i++)
			field = strchr(field + 1, ' ');
		if (!field || sscanf(field, "%" SCNu32, &cpu) != 1)
			continue;
		threads[node_of_cpu(cpu)]++;
		any = 1;
	}
	closedir(dir);
	return any ? 0 : -ESRCH;
}

uint32_t flt_node_count(void)
{
	DIR *dir = opendir("/sys/devices/system/node");
	const struct dirent *d;
	uint32_t node, count = 0;

	while (dir && (d = readdir(dir)))
		count += sscanf(d->d_name, "node%" SCNu32, &node) == 1;
	if (dir)
		closedir(dir);
	return count ? count : 1;
}

void flt_trace_names_parse(const char *format, const char *field, char *out, size_t n, size_t size)
{
	char start[64];
	const char *at, *end;
	unsigned long i;

	memset(out, 0, n * size);
	snprintf(start, sizeof(start), "__print_symbolic(REC->%s,", field);
	at = strstr(format, start);
	if (!at)
		return;
	end = strchr(at + strlen("__print_symbolic("), ')');
	for (;;) {
		char *name;

		at = strchr(at, '{');
		if (!at || (end && at > end))
			break;
		i = strtoul(at + 1, &name, 0);
		if (strncmp(name, ", \"", 3))
			break;
		name += 3;
		if (i < n)
			snprintf(out + i * size, size, "%.*s", (int)strcspn(name, "\""), name);
		at = name;
	}
}

int flt_trace_names(const char *event, const char *field, char *out, size_t n, size_t size)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[160], text[16384];
	size_t i, length;
	FILE *f;

	memset(out, 0, n * size);
	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		snprintf(path, sizeof(path), "%s/events/%s/format", roots[i], event);
		f = fopen(path, "re");
		if (!f)
			continue;
		length = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
		text[length] = '\0';
		flt_trace_names_parse(text, field, out, n, size);
		return 0;
	}
	return -ENOENT;
}
