// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/dkms.h"

#include <claim.h>	/* FLT_DKMS_KERNELS: make takes the value from dkms.conf */
#include <glob.h>
#include <regex.h>
#include <stdio.h>
#include <unistd.h>

bool flt_dkms_claims(const char *release)
{
	regex_t kernels;
	bool claims;

	/* DKMS compares by [[ =~ ]] of bash, which has the same expressions. */
	if (regcomp(&kernels, FLT_DKMS_KERNELS, REG_EXTENDED | REG_NOSUB))
		return false;
	claims = !regexec(&kernels, release, 0, NULL, 0);
	regfree(&kernels);
	return claims;
}

bool flt_dkms_installed(void)
{
	glob_t found;
	int ret = glob("/usr/src/flt-*/dkms.conf", GLOB_NOSORT, NULL, &found);

	globfree(&found);
	return !ret;
}

bool flt_dkms_has_headers(const char *release)
{
	char path[160];

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", release);
	return !access(path, F_OK);
}
