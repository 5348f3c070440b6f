// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/perf/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(uint64_t config, pid_t pid, bool user_only)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.inherit = 1,
		.exclude_kernel = user_only,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int flt_perf_open(struct flt_perf *perf, pid_t pid, struct flt_errmsg *e)
{
	bool user_only = false;
	int minor, major;

	minor = open_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, pid, user_only);
	if (minor == -EACCES || minor == -EPERM) {
		user_only = true;
		minor = open_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, pid, user_only);
	}
	if (minor < 0)
		return flt_errmsg_errno(e, minor, "cannot open perf's page fault events");
	major = open_event(PERF_COUNT_SW_PAGE_FAULTS_MAJ, pid, user_only);
	if (major < 0) {
		close(minor);
		return flt_errmsg_errno(e, major, "cannot open perf's page fault events");
	}
	*perf = (struct flt_perf){ .minor_fd = minor, .major_fd = major, .user_only = user_only };
	return 0;
}

void flt_perf_close(struct flt_perf *perf)
{
	if (perf->minor_fd >= 0)
		close(perf->minor_fd);
	if (perf->major_fd >= 0)
		close(perf->major_fd);
	perf->minor_fd = -1;
	perf->major_fd = -1;
}

static int read_count(int fd, uint64_t *count)
{
	ssize_t n;

	do
		n = read(fd, count, sizeof(*count));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(*count) ? 0 : -EIO;
}

int flt_perf_read(const struct flt_perf *perf, uint64_t *minor, uint64_t *major)
{
	int ret = read_count(perf->minor_fd, minor);

	return ret ? ret : read_count(perf->major_fd, major);
}
