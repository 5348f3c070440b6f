// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signature.c - whether this kernel loads flt.ko under Secure Boot.
 *
 * A locked-down kernel loads only modules that are signed by a key it trusts. DKMS signs modules
 * with a key of this machine, which the firmware does not know until the administrator enrols it.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/check/check.h"
#include "source/proc/dkms.h"
#include "source/proc/machine.h"

#define ENROL "reboot, and enrol the key at the blue screen"

/* Describe Secure Boot and lockdown. Return -errno if the state of lockdown is unknown. */
static int read_state(struct check *c, char *text, size_t size)
{
	int boot = flt_machine_secure_boot(), err;

	err = flt_machine_lockdown(c->lockdown, sizeof(c->lockdown));
	snprintf(text, size, "Secure Boot is %s, lockdown is %s",
		 boot < 0 ? "unknown" : boot ? "on" : "off",
		 !err ? c->lockdown : err == -EOPNOTSUPP ? "not supported" : "unknown");
	return err == -EOPNOTSUPP ? 0 : err;
}

static void describe_file(const struct check *c, char *text, size_t size)
{
	if (!c->installed)
		snprintf(text, size, "flt.ko is not installed");
	else if (!c->file.readable)
		snprintf(text, size,
			 "the signature of flt.ko is unknown: modinfo cannot read the file");
	else if (!c->file.has_signature)
		snprintf(text, size, "flt.ko has no signature");
	else
		snprintf(text, size, "flt.ko is signed by '%s'",
			 c->file.signer[0] ? c->file.signer : "an unnamed key");
}

/* Write the way to a module that a kernel with signature checks loads. */
static void find_remedy(const struct check *c, char *fix, size_t size)
{
	if (!c->installed)
		snprintf(fix, size, "install flt-dkms, which signs flt.ko; then: mokutil --import "
			 FLT_DKMS_CERTIFICATE ", " ENROL);
	else if (!c->file.readable)
		snprintf(fix, size, "apt install kmod");
	else if (!c->file.has_signature && flt_dkms_added())
		snprintf(fix, size, "apt install openssl, with which DKMS signs; then: dkms remove "
			 "flt/" FLT_VERSION " -k %s && dkms install flt/" FLT_VERSION " -k %s",
			 c->release, c->release);
	else if (!c->file.has_signature)
		snprintf(fix, size, "install flt-dkms, which signs flt.ko, or sign flt.ko with "
			 "a key that the kernel trusts");
	else if (flt_dkms_signs_with(c->file.serial))
		snprintf(fix, size, "if modprobe rejects the key: mokutil --import "
			 FLT_DKMS_CERTIFICATE ", " ENROL);
	else
		snprintf(fix, size, "if modprobe rejects the key: mokutil --import the certificate "
			 "of '%s', " ENROL ", or build flt.ko by DKMS of this machine",
			 c->file.signer);
}

int check_signature(struct check *c)
{
	const bool loaded = !access("/sys/module/flt", F_OK);
	char reason[128], file[128], fix[320];
	int err;

	err = read_state(c, reason, sizeof(reason));
	describe_file(c, file, sizeof(file));
	find_remedy(c, fix, sizeof(fix));
	if (!flt_machine_signed_only(c->lockdown)) {
		if (err)
			return check_add(c, "signature", CHECK_SKIPPED, 0,
					 err == -EACCES ? "run as root" :
					 "mount -t securityfs none /sys/kernel/security",
					 "unknown whether required (%s); %s", reason, file);
		return check_add(c, "signature", CHECK_OK, 0, NULL, "not required (%s); %s", reason,
				 file);
	}
	if (!loaded)
		return check_add(c, "signature", CHECK_WARN, 0, fix, "required (%s); %s", reason,
				 file);
	if (c->installed && c->file.readable && !c->file.has_signature)
		return check_add(c, "signature", CHECK_WARN, 0, fix,
				 "required (%s); the kernel accepted the loaded module, but will "
				 "reject the installed file: %s", reason, file);
	return check_add(c, "signature", CHECK_OK, 0, NULL,
			 "required (%s), and the kernel accepted the loaded module; %s", reason,
			 file);
}
