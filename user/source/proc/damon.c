// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/damon.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/proc/procfs.h"

#define ADMIN "/sys/kernel/mm/damon/admin/kdamonds"
#define CONTEXT "0/contexts/0/"
#define SCHEME CONTEXT "schemes/0/"
#define TOTAL SCHEME "tried_regions/total_bytes"
#define ASK "update_schemes_tried_bytes"
#define SAMPLES 20	/* samples per window: DAMON's default ratio */
#define BUSY_TRIES 100

struct flt_damon {
	uint32_t tgid;
	uint64_t window;	/* ns */
	uint64_t spent;		/* ns of CPU at the last reading */
};

static int put(const char *name, const char *text)
{
	char path[256];
	int fd, ret = 0;

	snprintf(path, sizeof(path), ADMIN "/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static int put_number(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return put(name, text);
}

static int get_number(const char *name, uint64_t *value)
{
	char path[256];
	FILE *file;
	int got;

	snprintf(path, sizeof(path), ADMIN "/%s", name);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	got = fscanf(file, "%" SCNu64, value);
	fclose(file);
	return got == 1 ? 0 : -EBADMSG;
}

/* Create a scheme without starting it, to see which files this kernel has. */
static int check_total_bytes(struct flt_errmsg *e)
{
	int ret = put("nr_kdamonds", "1");

	if (!ret)
		ret = put("0/contexts/nr_contexts", "1");
	if (!ret)
		ret = put(CONTEXT "schemes/nr_schemes", "1");
	if (ret)
		flt_errmsg_errno(e, ret, ADMIN);
	else if (access(ADMIN "/" TOTAL, F_OK))
		ret = flt_errmsg_set(e, -EOPNOTSUPP,
				     "this kernel's DAMON does not report the used bytes: missing "
				     "tried_regions/total_bytes (needs Linux 6.6)");
	put("nr_kdamonds", "0");
	return ret;
}

int flt_damon_available(struct flt_errmsg *e)
{
	uint64_t used;

	if (access(ADMIN, F_OK))
		return flt_errmsg_set(e, -EOPNOTSUPP, "this kernel has no /sys/kernel/mm/damon "
				      "(CONFIG_DAMON_SYSFS)");
	if (get_number("nr_kdamonds", &used))
		return flt_errmsg_set(e, -EACCES, "cannot read /sys/kernel/mm/damon (run as root)");
	if (used)
		return flt_errmsg_set(
			e, -EBUSY, "DAMON is in use (" ADMIN "/nr_kdamonds is %" PRIu64 ")", used);
	return check_total_bytes(e);
}

static const struct setting {
	const char *name, *text;
} settings[] = {
	{ "nr_kdamonds", "1" },
	{ "0/contexts/nr_contexts", "1" },
	{ CONTEXT "operations", "vaddr" },
	{ CONTEXT "targets/nr_targets", "1" },
	{ CONTEXT "schemes/nr_schemes", "1" },
	{ SCHEME "action", "stat" },
	{ SCHEME "access_pattern/sz/min", "0" },
	{ SCHEME "access_pattern/sz/max", "18446744073709551615" },
	{ SCHEME "access_pattern/nr_accesses/min", "1" },
	{ SCHEME "access_pattern/nr_accesses/max", "4294967295" },
	{ SCHEME "access_pattern/age/min", "0" },
	{ SCHEME "access_pattern/age/max", "4294967295" },
};

int flt_damon_open(struct flt_damon **out, uint32_t tgid, uint64_t window, struct flt_errmsg *e)
{
	struct flt_damon *d = calloc(1, sizeof(*d));
	const char *what = "";
	uint64_t us = window / 1000;
	size_t i;
	int ret = 0;

	if (!d)
		return -ENOMEM;
	d->tgid = tgid;
	d->window = window;
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]) && !ret; i++) {
		what = settings[i].name;
		ret = put(what, settings[i].text);
	}
	if (!ret)
		ret = put_number(what = CONTEXT "targets/0/pid_target", tgid);
	if (!ret)
		ret = put_number(what = CONTEXT "monitoring_attrs/intervals/sample_us",
				 us / SAMPLES);
	if (!ret)
		ret = put_number(what = CONTEXT "monitoring_attrs/intervals/aggr_us", us);
	if (!ret)
		ret = put_number(what = CONTEXT "monitoring_attrs/intervals/update_us", us);
	if (!ret)
		ret = put(what = "0/state", "on");
	if (ret) {
		if (ret == -EBUSY)
			flt_errmsg_set(e, ret,
				       "the kernel itself uses DAMON, for example for damon_stat "
				       "(echo N > /sys/module/damon_stat/parameters/enabled)");
		else
			flt_errmsg_errno(e, ret, ADMIN "/%s", what);
		flt_damon_close(d);
		return ret;
	}
	*out = d;
	return 0;
}

/* Read the CPU time of the kdamond thread. */
static uint64_t spent(void)
{
	uint64_t pid, ns = 0;
	char path[64];
	FILE *file;

	if (get_number("0/pid", &pid))
		return 0;
	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/schedstat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%" SCNu64, &ns) != 1)
		ns = 0;
	fclose(file);
	return ns;
}

static bool is_on(void)
{
	char state[8] = "";
	FILE *file = fopen(ADMIN "/0/state", "re");

	if (file && fscanf(file, "%7s", state) != 1)
		state[0] = '\0';
	if (file)
		fclose(file);
	return !strcmp(state, "on");
}

/* DAMON is off: the process has ended, or another user turned DAMON off. */
static int why_off(const struct flt_damon *d, struct flt_errmsg *e)
{
	struct flt_row row;

	if (flt_procfs_row(d->tgid, 0, &row) || row.ended)
		return -ESRCH;
	return flt_errmsg_set(e, -ECANCELED, "another user turned DAMON off");
}

int flt_damon_read(struct flt_damon *d, struct flt_sample *sample, struct flt_errmsg *e)
{
	int ret = put("0/state", ASK), tries;
	uint64_t now;

	/* Other processes may read its files at the same time. */
	for (tries = 0; ret == -EBUSY && tries < BUSY_TRIES; tries++) {
		usleep(1000);
		ret = put("0/state", ASK);
	}
	if (ret && !is_on())
		return why_off(d, e);
	if (ret)
		return flt_errmsg_errno(e, ret, ADMIN "/0/state: " ASK);
	ret = get_number(TOTAL, &sample->referenced);
	if (ret)
		return flt_errmsg_errno(e, ret, ADMIN "/" TOTAL);
	now = spent();
	sample->window = d->window;
	sample->duration = now > d->spent ? now - d->spent : 0;
	d->spent = now;
	sample->has |= FLT_SAMPLE_REFERENCED;
	return 0;
}

void flt_damon_close(struct flt_damon *d)
{
	if (!d)
		return;
	put("0/state", "off");
	put("nr_kdamonds", "0");
	free(d);
}
