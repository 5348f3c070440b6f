/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_WORKQUEUE_H
#define FLT_COMPAT_LINUX_WORKQUEUE_H

#include_next <linux/workqueue.h>
#include <flt_compat.h>

#if !FLT_HAVE_SYSTEM_DFL_WQ
#define system_dfl_wq system_unbound_wq
#endif

#endif
