// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/damon.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ADMIN "/sys/kernel/mm/damon/admin/kdamonds"
#define CONTEXT "0/contexts/0/"
#define SCHEME CONTEXT "schemes/0/"
#define SAMPLES 20	/* looks in a window: DAMON's own default ratio */

struct flt_damon {
	uint32_t tgid;
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

int flt_damon_available(struct flt_errmsg *e)
{
	uint64_t used;

	if (access(ADMIN, F_OK))
		return flt_errmsg_set(e, -EOPNOTSUPP, "this kernel has no /sys/kernel/mm/damon "
				      "(CONFIG_DAMON_SYSFS)");
	if (get_number("nr_kdamonds", &used))
		return flt_errmsg_set(e, -EACCES, "/sys/kernel/mm/damon may not be read");
	if (used)
		return flt_errmsg_set(e, -EBUSY, "DAMON is in use (" ADMIN "/nr_kdamonds is %" PRIu64
				      ")", used);
	return 0;
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
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]) && !ret; i++) {
		what = settings[i].name;
		ret = put(what, settings[i].text);
	}
	if (!ret)
		ret = put_number(what = CONTEXT "targets/0/pid_target", tgid);
	if (!ret)
		ret = put_number(what = CONTEXT "monitoring_attrs/intervals/sample_us", us / SAMPLES);
	if (!ret)
		ret = put_number(what = CONTEXT "monitoring_attrs/intervals/aggr_us", us);
	if (!ret)
		ret = put_number(what = CONTEXT "monitoring_attrs/intervals/update_us", us);
	if (!ret)
		ret = put(what = "0/state", "on");
	if (ret) {
		flt_errmsg_errno(e, ret, ADMIN "/%s", what);
		flt_damon_close(d);
		return ret;
	}
	*out = d;
	return 0;
}

int flt_damon_read(struct flt_damon *d, struct flt_sample *sample, struct flt_errmsg *e)
{
	int ret = put("0/state", "update_schemes_tried_bytes");

	(void)d;
	if (!ret)
		ret = get_number(SCHEME "tried_regions/total_bytes", &sample->referenced);
	if (ret == -EINVAL || ret == -EBUSY)
		return -ESRCH;	/* it ends with its target */
	if (ret)
		return flt_errmsg_errno(e, ret, ADMIN "/" SCHEME "tried_regions/total_bytes");
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
