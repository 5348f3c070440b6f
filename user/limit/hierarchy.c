// SPDX-License-Identifier: GPL-2.0-or-later
#include "limit/hierarchy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/proc/machine.h"

/* A mounted hierarchy: the part of it below `root` is visible at `point`. */
struct mount {
	char root[PATH_MAX], point[PATH_MAX];
};

/* Undo the octal escapes of blanks in /proc/self/mountinfo, see proc_pid_mountinfo(5). */
static void unescape(char *text)
{
	char *out = text;

	for (; *text; out++) {
		unsigned int value;

		if (*text == '\\' && sscanf(text + 1, "%3o", &value) == 1) {
			*out = (char)value;
			text += 4;
		} else {
			*out = *text++;
		}
	}
	*out = '\0';
}

static bool has_word(const char *list, const char *word, const char *separators)
{
	const size_t length = strlen(word);

	while (*list) {
		size_t n = strcspn(list, separators);

		if (n == length && !memcmp(list, word, n))
			return true;
		list += n + (list[n] != '\0');
	}
	return false;
}

/* Find the mount of cgroup2, or of the v1 memory controller. */
static bool find_mount(bool v2, struct mount *m)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, type[32], options[1024];
	const char *rest;
	size_t room = 0;
	bool found = false;

	while (file && !found && getline(&line, &room, file) > 0) {
		rest = strstr(line, " - ");
		if (!rest || sscanf(rest, " - %31s %*s %1023s", type, options) != 2 ||
		    sscanf(line, "%*s %*s %*s %4095s %4095s", m->root, m->point) != 2)
			continue;
		found = v2 ? !strcmp(type, "cgroup2") :
			!strcmp(type, "cgroup") && has_word(options, "memory", ",");
	}
	free(line);
	if (file)
		fclose(file);
	unescape(m->root);
	unescape(m->point);
	return found;
}

/* Read this process's path in the hierarchy from /proc/self/cgroup. */
static int own_path(bool v2, char *path)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char *line = NULL, *names, *at;
	size_t room = 0;
	ssize_t n;
	int ret = -ENOENT;

	while (file && ret && (n = getline(&line, &room, file)) > 0) {
		line[n - 1] = '\0';
		names = strchr(line, ':');
		at = names ? strchr(names + 1, ':') : NULL;
		if (!at)
			continue;
		*names++ = *at++ = '\0';
		if (v2 ? strcmp(line, "0") || *names : !has_word(names, "memory", ","))
			continue;
		ret = strlen(at) < PATH_MAX ? 0 : -ENAMETOOLONG;
		if (!ret)
			memcpy(path, at, strlen(at) + 1);
	}
	free(line);
	if (file)
		fclose(file);
	return ret;
}

static bool file_has_memory(const char *directory, const char *name)
{
	char path[PATH_MAX + 64], text[512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return !flt_machine_line(path, text, sizeof(text)) && has_word(text, "memory", " ");
}

static int locate(struct limit_hierarchy *h, const struct mount *m)
{
	const size_t root = strcmp(m->root, "/") ? strlen(m->root) : 0;
	char path[PATH_MAX];
	int err = own_path(h->v2, path);

	if (err)
		return err;
	/* The path starts at the root of the cgroup namespace, which may be mounted in part. */
	if (strncmp(path, m->root, root) || (path[root] && path[root] != '/'))
		return -ENOENT;
	if (snprintf(h->own, sizeof(h->own), "%s%s", m->point,
		     strcmp(path + root, "/") ? path + root : "") >= (int)sizeof(h->own))
		return -ENAMETOOLONG;
	memcpy(h->parent, h->own, sizeof(h->parent));
	return 0;
}

/* Climb to the nearest cgroup whose children have the memory controller, or else to the root. */
static void climb(struct limit_hierarchy *h, const struct mount *m)
{
	const size_t top = strlen(m->point);

	for (;;) {
		h->enabled = file_has_memory(h->parent, "cgroup.subtree_control");
		if (h->enabled || strlen(h->parent) <= top)
			return;
		*strrchr(h->parent, '/') = '\0';
	}
}

int limit_hierarchy_find(struct limit_hierarchy *h, struct flt_errmsg *e)
{
	struct mount m;
	int err;

	*h = (struct limit_hierarchy){ .v2 = true };
	if (!find_mount(true, &m) || !file_has_memory(m.point, "cgroup.controllers"))
		h->v2 = false;
	if (!h->v2 && !find_mount(false, &m))
		return flt_errmsg_set(e, -EOPNOTSUPP, "missing memory controller of cgroups (mount "
				      "cgroup2 at /sys/fs/cgroup; some kernels also need "
				      "cgroup_enable=memory at boot)");
	err = locate(h, &m);
	if (err)
		return flt_errmsg_set(e, -EOPNOTSUPP, "cannot find the own cgroup below %s",
				      m.point);
	if (h->v2)
		climb(h, &m);
	return 0;
}
