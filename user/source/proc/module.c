// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/module.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Read the path of NAME.ko* from modules.dep. Return -ENOENT if no such file is listed. */
static int find_path(const char *release, const char *name, char *path, size_t size)
{
	char list[160], line[4096], wanted[64];
	int ret = -ENOENT, n;
	const char *at;
	FILE *file;

	snprintf(list, sizeof(list), "/lib/modules/%s/modules.dep", release);
	snprintf(wanted, sizeof(wanted), "%s.ko", name);
	file = fopen(list, "re");
	if (!file)
		return -ENOENT;
	while (ret && fgets(line, sizeof(line), file)) {
		line[strcspn(line, ":")] = '\0';
		at = strrchr(line, '/');
		at = at ? at + 1 : line;
		if (strncmp(at, wanted, strlen(wanted)))
			continue;
		n = *line == '/' ? snprintf(path, size, "%s", line) :
				   snprintf(path, size, "/lib/modules/%s/%s", release, line);
		ret = n < (int)size ? 0 : -ENAMETOOLONG;
	}
	fclose(file);
	return ret;
}

/* Copy the value if a line of modinfo(8), "KEY:  VALUE", has this key. */
static void copy_value(const char *line, const char *key, char *value, size_t size)
{
	const size_t length = strlen(key);

	if (strncmp(line, key, length) || line[length] != ':')
		return;
	line += length + 1;
	snprintf(value, size, "%s", line + strspn(line, " \t"));
}

static void read_properties(struct flt_module *m)
{
	char command[400], line[1024], id[32] = "";
	FILE *file;

	/* The shell would end the word at a quote. */
	if (strchr(m->path, '\''))
		return;
	snprintf(command, sizeof(command), "PATH=$PATH:/usr/sbin:/sbin modinfo '%s' 2>/dev/null",
		 m->path);
	file = popen(command, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		copy_value(line, "signer", m->signer, sizeof(m->signer));
		copy_value(line, "sig_id", id, sizeof(id));
		copy_value(line, "sig_key", m->serial, sizeof(m->serial));
		copy_value(line, "lacks", m->lacks, sizeof(m->lacks));
	}
	m->has_signature = m->signer[0] || id[0];
	m->readable = !pclose(file);
}

int flt_module_find(const char *release, const char *name, struct flt_module *m)
{
	int ret;

	*m = (struct flt_module){ .readable = false };
	ret = find_path(release, name, m->path, sizeof(m->path));
	if (!ret)
		read_properties(m);
	return ret;
}
