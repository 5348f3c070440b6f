/* SPDX-License-Identifier: GPL-2.0-or-later */
/* descriptor.h - descriptors that may be closed. */
#ifndef FLT_OBSERVE_DESCRIPTOR_H
#define FLT_OBSERVE_DESCRIPTOR_H

#include <unistd.h>

/* Close a descriptor, unless it is negative, and make it -1. */
static inline void flt_descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

#endif
