// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
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

static const __rlimit_resource_t address_limits[] = { RLIMIT_AS, RLIMIT_DATA };
#define ADDRESS_LIMITS (sizeof(address_limits) / sizeof(address_limits[0]))

static rlim_t raised(rlim_t limit, uint64_t bytes)
{
	return limit < RLIM_INFINITY - bytes ? limit + bytes : RLIM_INFINITY;
}

/* Return true if this process may raise a hard limit. */
static bool may_raise(__rlimit_resource_t resource, const struct rlimit *l)
{
	const struct rlimit more = { l->rlim_cur, raised(l->rlim_max, 1 << 20) };

	return !setrlimit(resource, &more) && !setrlimit(resource, l);
}

static bool can_raise_by(uint64_t bytes)
{
	struct rlimit l;

	for (size_t i = 0; i < ADDRESS_LIMITS; i++)
		if (!getrlimit(address_limits[i], &l) && l.rlim_cur != RLIM_INFINITY &&
		    raised(l.rlim_cur, bytes) > l.rlim_max && !may_raise(address_limits[i], &l))
			return false;
	return true;
}

void flt_record_choose_room(struct flt_rec_config *config, uint64_t page)
{
	int room;

	for (room = FLT_REC_AMPLE; room < FLT_REC_ROOMS; room++) {
		config->room = (uint32_t)room;
		config->addresses = flt_rec_addresses(
			flt_rec_region_pages(config->max_pages, (enum flt_rec_room)room, page),
			page);
		if (can_raise_by(config->addresses))
			return;
	}
	/* Perhaps the region fits below the limits as they are. */
	config->room = FLT_REC_LEAST;
	config->addresses = 0;
}

void flt_record_allow_addresses(const struct flt_rec_config *config)
{
	struct rlimit l, more;

	for (size_t i = 0; i < ADDRESS_LIMITS; i++) {
		if (getrlimit(address_limits[i], &l) || l.rlim_cur == RLIM_INFINITY)
			continue;
		more.rlim_cur = raised(l.rlim_cur, config->addresses);
		more.rlim_max = raised(l.rlim_max, config->addresses);
		if (!setrlimit(address_limits[i], &more))
			continue;
		more.rlim_max = l.rlim_max;
		setrlimit(address_limits[i], &more);
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
