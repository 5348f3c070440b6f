/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_inside.h - what the files behind control.h share. */
#ifndef FLT_SOURCE_CONTROL_INSIDE_H
#define FLT_SOURCE_CONTROL_INSIDE_H

#include "source/netlink/control.h"
#include "source/netlink/genl.h"

struct flt_control {
	struct flt_genl *genl;
};

#endif
