// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of regions, and names in /proc/PID/maps. */
#include <stdio.h>
#include <string.h>

#include "model/memory/regions.h"

enum flt_area flt_area_of_name(const char *name, const char **rest, size_t *length)
{
	*rest = name;
	*length = strlen(name);
	if (!strcmp(name, "[heap]") || !strncmp(name, "[stack", 6) || !strncmp(name, "[v", 2)) {
		*length = 0;
		return name[1] == 'h' ? FLT_AREA_HEAP :
		       name[1] == 's' ? FLT_AREA_STACK :
					FLT_AREA_VDSO;
	}
	if (!strncmp(name, "[anon:", 6) && name[*length - 1] == ']') {
		*rest = name + 6;
		*length -= 7;
		return FLT_AREA_ANON;
	}
	if (!strncmp(name, "[anon_shmem:", 12) && name[*length - 1] == ']') {
		*rest = name + 12;
		*length -= 13;
		return FLT_AREA_SHMEM;
	}
	if (!strncmp(name, "/memfd:", 7) || !strncmp(name, "/dev/shm/", 9) ||
	    !strncmp(name, "/SYSV", 5) || !strncmp(name, "/dev/zero", 9))
		return FLT_AREA_SHMEM;
	if (!strncmp(name, "//anon_hugepage", 15) || !strncmp(name, "/anon_hugepage", 14))
		return FLT_AREA_HUGETLB;
	if (!strncmp(name, "/dev/", 5))
		return FLT_AREA_DEVICE;
	if (name[0] == '/')
		return FLT_AREA_FILE;
	*length = 0;
	return FLT_AREA_ANON;
}

const char *flt_region_of_name(unsigned int of)
{
	static const char *const names[] = {
		[FLT_AREA_ANON] = "anon",	  [FLT_AREA_HEAP] = "heap",
		[FLT_AREA_STACK] = "stack",	  [FLT_AREA_FILE] = "file",
		[FLT_AREA_SHMEM] = "shmem",	  [FLT_AREA_HUGETLB] = "hugetlb",
		[FLT_AREA_VDSO] = "vdso",	  [FLT_AREA_DEVICE] = "device",
		[FLT_REGION_UNKNOWN] = "unknown", [FLT_REGION_REMOTE] = "remote",
		[FLT_REGION_OTHERS] = "others",
	};

	return of < __FLT_REGION_OF_LAST ? names[of] : "unknown";
}

void flt_region_label(const struct flt_regions *g, const struct flt_region *r, char *text,
		      size_t size)
{
	const char *path = r->path;

	if (!path && r->area.inode)
		path = flt_name_table_get(&g->files, r->area.device, r->area.inode);
	if (r->area.of == FLT_AREA_ANON && r->area.name[0])
		snprintf(text, size, "[anon:%s]", r->area.name);
	else if (r->area.name[0] || path)
		snprintf(text, size, "%s", r->area.name[0] ? r->area.name : path);
	else if (r->area.of == FLT_AREA_FILE && r->area.inode)
		snprintf(text, size, "[file, inode %llu]", (unsigned long long)r->area.inode);
	else
		snprintf(text, size, "[%s]", flt_region_of_name(r->area.of));
}
