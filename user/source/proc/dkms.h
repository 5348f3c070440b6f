/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dkms.h - whether DKMS can build flt.ko for a kernel. */
#ifndef FLT_SOURCE_DKMS_H
#define FLT_SOURCE_DKMS_H

#include <stdbool.h>

/* Return true if the dkms.conf of this version builds flt for kernels of this release. */
bool flt_dkms_claims(const char *release);

/* Return true if the sources of flt are installed for DKMS. */
bool flt_dkms_installed(void);

/* Return true if the directory that the headers of this kernel provide exists. */
bool flt_dkms_has_headers(const char *release);

#endif
