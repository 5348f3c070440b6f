// SPDX-License-Identifier: GPL-2.0-or-later
#include "limit/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limit/file.h"
#include "limit/sysctl.h"
#include "source/proc/machine.h"

#define HOT_ADD "/sys/class/zram-control/hot_add"
#define PAGE_CLUSTER "/proc/sys/vm/page-cluster"

bool flt_swap_exists(void)
{
	FILE *file = fopen("/proc/swaps", "re");
	char line[512];
	int lines = 0;

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		lines++;
	fclose(file);
	return lines > 1;	/* the first line is the header */
}

/* Load the zram module. Without a module file, the next step reports that zram is missing. */
static void load_zram(void)
{
	char *argv[] = { "modprobe", "-q", "zram", "num_devices=0", NULL }, *env[] = { NULL };
	static const char *const places[] = { "/sbin/modprobe", "/usr/sbin/modprobe" };
	pid_t pid;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (posix_spawn(&pid, places[i], NULL, NULL, argv, env))
			continue;
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return;
	}
}

/* The header of a swap area, as in <linux/swap.h> of the kernel (union swap_header). */
static int write_header(const char *device, uint64_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct {
		uint32_t version, last_page, bad_pages;
	} head = { .version = 1 };
	char *first = calloc(1, page);
	int fd = open(device, O_RDWR | O_CLOEXEC | O_EXCL), err = 0;

	if (!first || fd < 0) {
		err = first ? -errno : -ENOMEM;
		goto out;
	}
	head.last_page = bytes / page > UINT32_MAX ? UINT32_MAX : (uint32_t)(bytes / page - 1);
	memcpy(first + 1024, &head, sizeof(head));
	memcpy(first + page - 10, "SWAPSPACE2", 10);
	if (pwrite(fd, first, page, 0) != (ssize_t)page || fsync(fd))
		err = errno ? -errno : -EIO;
out:
	if (fd >= 0)
		close(fd);
	free(first);
	return err;
}

/* Size a new device and swap to it. */
static int start(const char *name, struct flt_errmsg *e)
{
	const uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	char path[64], text[24];
	int err;

	snprintf(path, sizeof(path), "/sys/block/%s/disksize", name);
	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	err = limit_file_write(path, text);
	if (err)
		return flt_errmsg_errno(e, err, "cannot set the size of /dev/%s", name);
	snprintf(path, sizeof(path), "/dev/%s", name);
	err = write_header(path, bytes);
	if (err)
		return flt_errmsg_errno(e, err, "cannot write to %s", path);
	if (swapon(path, 0))
		return flt_errmsg_errno(e, -errno, "cannot swap to %s", path);
	return 0;
}

static int make(struct flt_journal *journal, char *name, struct flt_errmsg *e)
{
	const char *words[] = { "device", name, NULL };
	int64_t number;
	int err;

	if (access(HOT_ADD, F_OK))
		load_zram();
	/* Reading the file adds a device. */
	err = flt_machine_number(HOT_ADD, &number);
	if (err == -ENOENT)
		return flt_errmsg_set(e, -EOPNOTSUPP, "missing swap, and missing zram to create "
				      "some: add a swap file, or use a kernel with CONFIG_ZRAM");
	if (err)
		return flt_errmsg_errno(e, err, "cannot add a zram device");
	snprintf(name, FLT_SWAP_NAME, "zram%" PRId64, number);
	err = flt_journal_note(journal, words, e);
	return err ? err : start(name, e);
}

int flt_swap_make(struct flt_journal *journal, char *name, struct flt_errmsg *e)
{
	/* Two runs that start together must not both find the machine without swap. */
	int lock = flt_journal_lock(), err = 0;

	*name = '\0';
	if (lock < 0)
		return flt_errmsg_errno(e, lock, "cannot lock " FLT_JOURNAL_DIRECTORY);
	if (!flt_swap_exists())
		err = make(journal, name, e);
	close(lock);
	return err;
}

int flt_swap_single_pages(struct flt_journal *journal, struct flt_errmsg *e)
{
	int ret = flt_sysctl_set(journal, PAGE_CLUSTER, "0", e);

	return ret < 0 ? ret : 0;
}
