/* SPDX-License-Identifier: GPL-2.0-or-later */
/* connection.h - the connection of a control to the module. */
#ifndef FLT_SOURCE_CONNECTION_H
#define FLT_SOURCE_CONNECTION_H

#include "source/netlink/genl.h"

struct flt_control {
	struct flt_genl *genl;
};

#endif
