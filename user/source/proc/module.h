/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module.h - the file of a kernel module that modprobe(8) loads, and its properties. */
#ifndef FLT_SOURCE_MODULE_H
#define FLT_SOURCE_MODULE_H

#include <stdbool.h>

struct flt_module {
	char path[256];
	bool readable;		/* modinfo(8) has read the file; if not, all below is unknown */
	bool has_signature;
	char signer[64];	/* name in the certificate of the signer; may be empty */
	char serial[128];	/* of this certificate: "1F:0A:..."; may be empty */
	char lacks[160];	/* the interfaces that a stub misses in this kernel; else empty */
};

/*
 * Find the installed file of a module for this kernel, and read its properties. Return -ENOENT
 * if modprobe finds none.
 */
int flt_module_find(const char *release, const char *name, struct flt_module *m);

#endif
