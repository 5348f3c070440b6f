// SPDX-License-Identifier: GPL-2.0-or-later
#include "limit/undo.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>
#include <unistd.h>

#include "limit/file.h"
#include "source/proc/cgroup.h"
#include "source/proc/machine.h"

/* Processes may fork while they are moved. Each pass leaves only new children. */
#define MOVE_PASSES 1000

static int undo_file(const struct limit_undo *u, struct flt_errmsg *e)
{
	int err = limit_file_write(u->words[1], u->words[2]);

	if (!err || err == -ENOENT)
		return 0;
	return flt_errmsg_errno(e, err, "cannot write %s to %s", u->words[2], u->words[1]);
}

static int undo_sysctl(const struct limit_undo *u, struct flt_errmsg *e)
{
	char now[64];

	/* Somebody else changed the setting since. */
	if (flt_machine_line(u->words[1], now, sizeof(now)) || strcmp(now, u->words[3]))
		return 0;
	return undo_file(u, e);
}

/* Return true if a cgroup has children, which may use the controller. */
static bool has_children(const char *directory)
{
	const struct dirent *entry;
	DIR *dir = opendir(directory);
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = entry->d_type == DT_DIR && entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return found;
}

static int undo_controller(const struct limit_undo *u, struct flt_errmsg *e)
{
	int err;

	if (has_children(u->words[1]))
		return 0;
	err = limit_file_write_in(u->words[1], "cgroup.subtree_control", "-memory");
	if (!err || err == -ENOENT)
		return 0;
	return flt_errmsg_errno(e, err, "cannot disable the memory controller of %s", u->words[1]);
}

static int undo_device(const struct limit_undo *u, struct flt_errmsg *e)
{
	const char *name = u->words[1], *number = name + strcspn(name, "0123456789");
	char path[300];
	int err;

	snprintf(path, sizeof(path), "/sys/block/%.64s", name);
	if (access(path, F_OK))
		return 0;
	snprintf(path, sizeof(path), "/dev/%.64s", name);
	/* EINVAL: not in use. */
	if (swapoff(path) && errno != EINVAL && errno != ENOENT)
		return flt_errmsg_errno(e, -errno, "cannot end swapping to %s (free memory, then "
					"run fltctl check --repair)", path);
	snprintf(path, sizeof(path), "/sys/block/%.64s/reset", name);
	err = limit_file_write(path, "1");
	if (!err)
		err = limit_file_write("/sys/class/zram-control/hot_remove", number);
	return err ? flt_errmsg_errno(e, err, "cannot remove /dev/%s", name) : 0;
}

/* Move the processes of a cgroup. Return the number that was found, or -errno. */
static int move_processes(const char *from, const char *to, struct flt_errmsg *e)
{
	uint32_t *pids;
	char text[16];
	size_t count, i;
	int err = flt_cgroup_processes(from, &pids, &count, e);

	if (err)
		return err == -ENOENT ? 0 : err;
	for (i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%" PRIu32, pids[i]);
		err = limit_file_write_in(to, "cgroup.procs", text);
		if (err && err != -ESRCH) {
			free(pids);
			return flt_errmsg_errno(e, err, "cannot move process %s to %s", text, to);
		}
	}
	free(pids);
	return count > INT32_MAX ? INT32_MAX : (int)count;
}

/* The command's processes run on without a limit, in the cgroup where fltctl was. */
static int undo_group(const struct limit_undo *u, struct flt_errmsg *e)
{
	const char *dir = u->words[1];
	int i, moved = 1;

	if (access(dir, F_OK))
		return 0;
	/* Whichever hierarchy this is has one of the files. */
	limit_file_write_in(dir, "memory.max", "max");
	limit_file_write_in(dir, "memory.limit_in_bytes", "-1");
	for (i = 0; i < MOVE_PASSES && moved > 0; i++)
		moved = move_processes(dir, u->words[2], e);
	if (moved < 0)
		return moved;
	if (rmdir(dir) && errno != ENOENT)
		return flt_errmsg_errno(e, -errno, "cannot remove %s", dir);
	return 0;
}

int limit_undo_parse(struct limit_undo *undo, char *line)
{
	static const struct {
		const char *name;
		size_t words;
		bool shared;
		int (*run)(const struct limit_undo *undo, struct flt_errmsg *e);
	} kinds[] = {
		{ "file", 3, false, undo_file },
		{ "sysctl", 4, true, undo_sysctl },
		{ "controller", 2, true, undo_controller },
		{ "device", 2, true, undo_device },
		{ "group", 3, false, undo_group },
	};
	char *save, *word;
	size_t n = 0, i;

	*undo = (struct limit_undo){ .shared = false };
	for (word = strtok_r(line, "\t", &save); word && n < 4; word = strtok_r(NULL, "\t", &save))
		undo->words[n++] = word;
	for (i = 0; n && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(undo->words[0], kinds[i].name) || kinds[i].words != n)
			continue;
		undo->shared = kinds[i].shared;
		undo->run = kinds[i].run;
		return 0;
	}
	return -EINVAL;
}

int limit_undo_run(const struct limit_undo *undo, struct flt_errmsg *e)
{
	return undo->run(undo, e);
}
