// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/accounting.h"

#include <errno.h>

#include "source/netlink/control.h"
#include "text/clock.h"

int flt_accounting_start(struct flt_control *control, enum flt_accounting_need need,
			 struct flt_accounting *out, struct flt_errmsg *e)
{
	struct flt_info info;
	uint32_t id;
	int ret = flt_control_info(control, &info, e);

	if (ret)
		return ret;
	*out = (struct flt_accounting){
		.since = info.accounting ? info.since : flt_clock_ns(CLOCK_MONOTONIC),
		.started = !info.accounting,
		.partial = info.accounting && !info.returns,
	};
	if (need == FLT_ACCOUNTING_PAST)
		return info.accounting ? 0 :
		       flt_errmsg_set(e, -EOPNOTSUPP,
				      "accounting is off (the module was loaded with "
				      "accounting=0); give an interval to count from now on");
	if (need == FLT_ACCOUNTING_COUNTS)
		return flt_control_counts_new(control, &id, e);
	return flt_control_session_new(control, NULL, 0, false, &id, e);
}
