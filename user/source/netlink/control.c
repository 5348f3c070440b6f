// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/netlink/control.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/netlink/connection.h"
#include "source/netlink/decode.h"

/* Inode number of the initial PID namespace, from the kernel's <linux/proc_ns.h>. */
#define PROC_PID_INIT_INO 0xeffffffcu

static int take_info(void *arg, struct nlattr *attrs, int length)
{
	return flt_decode_info(attrs, length, arg);
}

static int take_tally(void *arg, struct nlattr *attrs, int length)
{
	return flt_decode_tally(attrs, length, arg);
}

static int take_proc(void *arg, struct nlattr *attrs, int length)
{
	return flt_decode_proc(attrs, length, arg);
}

int flt_control_ask(struct flt_control *control, struct nl_msg *request, flt_genl_fn fn, void *out,
		    struct flt_errmsg *e)
{
	int ret = flt_genl_do(control->genl, request, fn, out, e);

	if (ret == -EBADMSG)
		return flt_errmsg_set(e, ret, "invalid answer of the flt module");
	return ret;
}

int flt_control_info(struct flt_control *control, struct flt_info *out, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_INFO_GET, 0);

	*out = (struct flt_info){ 0 };
	return request ? flt_control_ask(control, request, take_info, out, e) : -ENOMEM;
}

int flt_control_tally(struct flt_control *control, struct flt_tally *out, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_TALLY_GET, 0);

	*out = (struct flt_tally){ 0 };
	return request ? flt_control_ask(control, request, take_tally, out, e) : -ENOMEM;
}

int flt_control_proc(struct flt_control *control, uint32_t tgid, bool kinds, struct flt_row *out,
		     struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_PROC_GET, 0);

	*out = (struct flt_row){ 0 };
	if (!request || nla_put_u32(request, FLT_PROC_TGID, tgid) ||
	    (kinds && nla_put_flag(request, FLT_PROC_KINDS)))
		return flt_genl_drop(request);
	return flt_control_ask(control, request, take_proc, out, e);
}

static int explain_absence(struct flt_errmsg *e)
{
	if (!access("/sys/module/flt", F_OK))
		return flt_errmsg_set(e, -EOPNOTSUPP,
				      "the flt module is loaded but has no netlink family; run "
				      "as root: modprobe -r flt; modprobe flt");
	return flt_errmsg_set(e, -EOPNOTSUPP,
			      "the flt module is not loaded; run as root: modprobe flt "
			      "(if that fails: fltctl check)");
}

/* Return true in a PID namespace other than the initial one. */
static bool is_inner(void)
{
	struct stat ns;

	/* A kernel without CONFIG_PID_NS has no such file. */
	return !stat("/proc/self/ns/pid", &ns) && ns.st_ino != PROC_PID_INIT_INO;
}

static int shake_hands(struct flt_control *control, struct flt_errmsg *e)
{
	struct flt_info info;
	int ret;

	ret = flt_control_info(control, &info, e);
	if (ret)
		return ret;
	if (info.api >> 16 == FLT_API_VERSION >> 16 &&
	    info.schema >> 16 == FLT_SCHEMA_VERSION >> 16)
		return is_inner() && !(info.features & FLT_FEATURE_PIDNS) ?
		       flt_errmsg_set(e, -EOPNOTSUPP,
				      "flt module %s does not know PID namespaces; install the "
				      "version of fltctl, %s", info.version, FLT_VERSION) : 0;
	return flt_errmsg_set(e, -EPROTO,
			      "flt module %s has API %u.%u and schema %u.%u, fltctl %s has API "
			      "%u.%u and schema %u.%u; install the same version of both",
			      info.version, info.api >> 16, info.api & 0xffff, info.schema >> 16,
			      info.schema & 0xffff, FLT_VERSION, FLT_API_VERSION >> 16,
			      FLT_API_VERSION & 0xffff, FLT_SCHEMA_VERSION >> 16,
			      FLT_SCHEMA_VERSION & 0xffff);
}

int flt_control_open(struct flt_control **control, struct flt_errmsg *e)
{
	struct flt_control *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	ret = flt_genl_open(&c->genl, FLT_GENL_NAME, FLT_GENL_VERSION, e);
	if (ret == -EOPNOTSUPP)
		explain_absence(e);
	if (ret)
		goto err_control;
	ret = shake_hands(c, e);
	if (ret)
		goto err_genl;
	*control = c;
	return 0;

err_genl:
	flt_genl_close(c->genl);
err_control:
	free(c);
	return ret;
}

struct flt_genl *flt_control_genl(struct flt_control *c)
{
	return c->genl;
}

void flt_control_close(struct flt_control *c)
{
	if (!c)
		return;
	flt_genl_close(c->genl);
	free(c);
}
