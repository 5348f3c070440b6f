/* SPDX-License-Identifier: GPL-2.0-only */
/* wss_sample - the settings of a tracker, and a sample: the result of one scan. */
#ifndef FLT_WSS_SAMPLE_H
#define FLT_WSS_SAMPLE_H

#include <linux/types.h>
#include "wss/scan.h"

struct flt_wss_config {
	u64 interval;		/* ns */
	u32 history;		/* samples kept per process */
	u32 budget;		/* percent of one CPU */
	u64 cgroup;		/* cgroup ID; 0: processes given by PID */
	bool follow;		/* track forked children, too */
	bool inject;		/* use PROT_NONE instead of accessed bits */
};

struct flt_wss_sample {
	u64 key;		/* increases within a tracker, from 1 */
	u64 index;		/* number of the sample of its process, from 1 */
	u64 round;		/* round of the tracker, from 1 */
	u64 time;		/* CLOCK_MONOTONIC ns: start of the scan */
	u64 window;		/* ns since the start of the previous scan */
	struct flt_wss_scan scan;
	u64 first_touch, refault, major;	/* bytes, faulted in the window */
	bool accounted;		/* first_touch, refault and major are known */
};

#endif
