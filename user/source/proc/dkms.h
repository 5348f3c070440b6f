/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dkms.h - whether DKMS can build flt.ko for a kernel, and the key that DKMS signs with. */
#ifndef FLT_SOURCE_DKMS_H
#define FLT_SOURCE_DKMS_H

#include <stdbool.h>

/* The certificate of DKMS on this machine. */
#define FLT_DKMS_CERTIFICATE "/var/lib/dkms/mok.pub"

/* Return true if the dkms.conf of this version builds flt for kernels of this release. */
bool flt_dkms_claims(const char *release);

/* Return true if the sources of flt are installed for DKMS. */
bool flt_dkms_installed(void);

/* Return true if the directory that the headers of this kernel provide exists. */
bool flt_dkms_has_headers(const char *release);

/* Return true if DKMS has the module in its tree. */
bool flt_dkms_added(void);

/* Return true if the certificate of DKMS has this serial number, given as modinfo(8) prints it. */
bool flt_dkms_signs_with(const char *serial);

#endif
