// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/record/args.h"

/* Limit this process to the first CPUs of its affinity mask. */
static int limit_cores(uint64_t left)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		if (left)
			left--;
		else
			CPU_CLR(cpu, &set);
	}
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

int flt_record_allow_files(uint64_t files, uint64_t *before)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return -errno;
	if (before)
		*before = l.rlim_cur;
	l.rlim_cur = files < l.rlim_max ? files : l.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &l) ? -errno : 0;
}

static rlim_t raised(rlim_t limit, uint64_t bytes)
{
	return limit < RLIM_INFINITY - bytes ? limit + bytes : RLIM_INFINITY;
}

void flt_record_allow_addresses(uint64_t bytes)
{
	static const __rlimit_resource_t limits[] = { RLIMIT_AS, RLIMIT_DATA };
	struct rlimit l, more;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (getrlimit(limits[i], &l) || l.rlim_cur == RLIM_INFINITY)
			continue;
		more.rlim_cur = raised(l.rlim_cur, bytes);
		more.rlim_max = raised(l.rlim_max, bytes);
		if (!setrlimit(limits[i], &more))
			continue;
		l.rlim_cur = more.rlim_cur < l.rlim_max ? more.rlim_cur : l.rlim_max;
		setrlimit(limits[i], &l);
	}
}

int flt_record_in_child(void *arg)
{
	const struct flt_record_args *args = arg;
	int ret = 0, null;

	if (args->files)
		ret = flt_record_allow_files(args->files, NULL);
	if (!ret && args->cores)
		ret = limit_cores(args->cores);
	if (ret || !args->silent)
		return ret;
	/* All runs have the same input, and our standard output is for the table. */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return -errno;
	return 0;
}
