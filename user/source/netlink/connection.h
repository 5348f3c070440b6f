/* SPDX-License-Identifier: GPL-2.0-or-later */
/* connection.h - the connection of a control to the module. */
#ifndef FLT_SOURCE_CONNECTION_H
#define FLT_SOURCE_CONNECTION_H

#include "source/netlink/genl.h"

struct flt_control {
	struct flt_genl *genl;
};

/* Send a request and pass the answer to fn. Frees the request. Errors as in control.h. */
int flt_control_ask(struct flt_control *control, struct nl_msg *request, flt_genl_fn fn, void *out,
		    struct flt_errmsg *e);

#endif
