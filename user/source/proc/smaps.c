// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/smaps.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *open_of(uint32_t tgid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", tgid, name);
	return fopen(path, "re");
}

static uint32_t kind_of(const char *name, unsigned int major, uint64_t inode, char shared)
{
	if (!strcmp(name, "[heap]"))
		return FLT_AREA_HEAP;
	if (!strcmp(name, "[stack]"))
		return FLT_AREA_STACK;
	if (!strcmp(name, "[vdso]") || !strcmp(name, "[vvar]") || !strcmp(name, "[vsyscall]") ||
	    !strcmp(name, "[vvar_vclock]"))
		return FLT_AREA_VDSO;
	if (!inode)
		return FLT_AREA_ANON;
	if (!strncmp(name, "/anon_hugepage", 14))
		return FLT_AREA_HUGETLB;
	if (!strncmp(name, "/memfd:", 7) || !strncmp(name, "/SYSV", 5) ||
	    !strncmp(name, "/dev/shm/", 9) || (!strncmp(name, "/dev/zero", 9) && shared == 's'))
		return FLT_AREA_SHMEM;
	if (!strncmp(name, "/dev/", 5) && major)
		return FLT_AREA_DEVICE;
	return FLT_AREA_FILE;
}

/* Parse "start-end perms offset major:minor inode   name". Return false for other lines. */
static bool read_head(const char *line, struct flt_sample_area *area)
{
	unsigned int major, minor;
	uint64_t offset, inode;
	char perms[8];
	int at = 0;

	*area = (struct flt_sample_area){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 "%n",
		   &area->start, &area->end, perms, &offset, &major, &minor, &inode, &at) != 7 ||
	    !at)
		return false;
	at += (int)strspn(line + at, " ");
	snprintf(area->name, sizeof(area->name), "%.*s", (int)strcspn(line + at, "\n"), line + at);
	area->kind = kind_of(area->name, major, inode, perms[3]);
	return true;
}

struct reading {
	struct flt_sample *sample;
	struct flt_sample_areas *areas;
	struct flt_sample_area area;
	bool within;		/* an area */
	size_t seen;
};

static int end_area(struct reading *r)
{
	struct flt_sample *s = r->sample;
	int ret = 0;

	if (!r->within)
		return 0;
	s->rss += r->area.rss;
	s->pss += r->area.pss;
	s->referenced += r->area.referenced;
	s->area[r->area.kind] += r->area.referenced;
	if (r->areas)
		ret = flt_sample_areas_add(r->areas, &r->area);
	r->within = false;
	return ret;
}

static int read_line(struct reading *r, const char *line)
{
	struct flt_sample_area head;
	uint64_t kib;
	char key[32];
	int ret;

	/* Fields begin with a capital letter, mappings with a lower-case hexadecimal digit. */
	if (!isupper((unsigned char)line[0])) {
		if (!read_head(line, &head))
			return 0;
		ret = end_area(r);
		r->area = head;
		r->within = true;
		r->seen++;
		return ret;
	}
	if (!r->within || sscanf(line, "%31[^:]: %" SCNu64 " kB", key, &kib) != 2)
		return 0;
	if (!strcmp(key, "Rss"))
		r->area.rss = kib << 10;
	else if (!strcmp(key, "Pss"))
		r->area.pss = kib << 10;
	else if (!strcmp(key, "Referenced"))
		r->area.referenced = kib << 10;
	else if (!strcmp(key, "AnonHugePages"))
		r->sample->huge += kib << 10;
	return 0;
}

static int finish(struct reading *r)
{
	int ret = end_area(r);

	r->sample->has |= FLT_SAMPLE_RSS | FLT_SAMPLE_PSS | FLT_SAMPLE_REFERENCED |
			  FLT_SAMPLE_AREAS | FLT_SAMPLE_HUGE;
	return ret ? ret : r->seen ? 0 : -ESRCH;
}

int flt_smaps_parse(const char *text, struct flt_sample *sample, struct flt_sample_areas *areas)
{
	struct reading r = { .sample = sample, .areas = areas };
	const char *next;
	int ret = 0;

	for (; *text && !ret; text = next) {
		next = strchr(text, '\n');
		next = next ? next + 1 : text + strlen(text);
		ret = read_line(&r, text);
	}
	return ret ? ret : finish(&r);
}

/* Describe the failure of opening or writing a file of a process. Return the error. */
static int cannot_access(const char *verb, uint32_t tgid, const char *name, int error,
			 struct flt_errmsg *e)
{
	const char *remedy = "";

	if (error == EACCES || error == EPERM)
		remedy = " (run as root, or as the user of the process)";
	return flt_errmsg_errno(e, error == ENOENT ? -ESRCH : -error,
				"cannot %s /proc/%" PRIu32 "/%s%s", verb, tgid, name, remedy);
}

int flt_smaps_read(uint32_t tgid, struct flt_sample *sample, struct flt_sample_areas *areas,
		   struct flt_errmsg *e)
{
	struct reading r = { .sample = sample, .areas = areas };
	FILE *file = open_of(tgid, "smaps");
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (!file)
		return cannot_access("read", tgid, "smaps", errno, e);
	while (!ret && getline(&line, &room, file) > 0)
		ret = read_line(&r, line);
	free(line);
	fclose(file);
	return ret ? ret : finish(&r);
}

int flt_smaps_rollup(uint32_t tgid, uint64_t *rss, uint64_t *pss)
{
	FILE *file = open_of(tgid, "smaps_rollup");
	uint64_t kib;
	char line[256];
	int found = 0;

	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Rss: %" SCNu64, &kib) == 1) {
			*rss = kib << 10;
			found++;
		} else if (sscanf(line, "Pss: %" SCNu64, &kib) == 1) {
			*pss = kib << 10;
			found++;
		}
	}
	fclose(file);
	return found == 2 ? 0 : -ESRCH;
}

int flt_smaps_clear(uint32_t tgid, enum flt_clear what, struct flt_errmsg *e)
{
	const char digit = (char)('0' + what);
	char path[64];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/clear_refs", tgid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return cannot_access("open", tgid, "clear_refs", errno, e);
	if (write(fd, &digit, 1) != 1)
		ret = cannot_access("write", tgid, "clear_refs", errno, e);
	close(fd);
	return ret;
}
