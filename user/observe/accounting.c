// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/accounting.h"

#include <errno.h>

#include "source/netlink/control.h"
#include "text/clock.h"

int flt_accounting_start(struct flt_control *control, bool once, struct flt_accounting *out,
			 struct flt_errmsg *e)
{
	struct flt_info info;
	uint32_t id;
	int ret = flt_control_info(control, &info, e);

	if (ret)
		return ret;
	*out = (struct flt_accounting){ .since = info.since };
	if (info.accounting)
		return 0;
	if (once)
		return flt_errmsg_set(e, -EOPNOTSUPP,
				      "accounting is off (the module was loaded with "
				      "accounting=0); give an interval to count from now on");
	ret = flt_control_session_new(control, NULL, 0, false, &id, e);
	*out = (struct flt_accounting){ .since = flt_clock_ns(CLOCK_MONOTONIC), .started = true };
	return ret;
}
