// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/dkms.h"

#include <claim.h>	/* FLT_DKMS_KERNELS: make takes the value from dkms.conf */
#include <glob.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

bool flt_dkms_added(void)
{
	return !access("/var/lib/dkms/flt", F_OK);
}

/* Convert "1F:0A:..." to bytes. Return their number, or 0 if the text is something else. */
static size_t parse_serial(const char *text, unsigned char *bytes, size_t size)
{
	size_t n = 0;
	char *end;

	while (*text && n < size) {
		bytes[n++] = (unsigned char)strtoul(text, &end, 16);
		if (end != text + 2 || (*end != ':' && *end != '\0'))
			return 0;
		text = *end ? end + 1 : end;
	}
	return n;
}

bool flt_dkms_signs_with(const char *serial)
{
	unsigned char bytes[32], certificate[8192];
	size_t n = parse_serial(serial, bytes, sizeof(bytes)), length;
	FILE *file;

	/* A short number may also be at another place of a certificate. */
	if (n < 8)
		return false;
	file = fopen(FLT_DKMS_CERTIFICATE, "re");
	if (!file)
		return false;
	length = fread(certificate, 1, sizeof(certificate), file);
	fclose(file);
	/* The encoding (DER) contains the bytes of the number as they are. */
	return memmem(certificate, length, bytes, n);
}
