// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signature.c - whether this kernel loads flt.ko under Secure Boot.
 *
 * A locked-down kernel loads only modules that are signed by a key it trusts. DKMS signs modules
 * with a key of this machine, which the firmware does not know until the administrator enrols it.
 */
#include <stdio.h>
#include <unistd.h>

#include "cmd/check/check.h"
#include "source/proc/machine.h"

#define DKMS_KEY "/var/lib/dkms/mok.pub"

int check_signature(struct check *c)
{
	static const char *const enrol =
		"if modprobe rejects the key: mokutil --import " DKMS_KEY ", reboot, and enrol the "
		"key at the blue screen";
	static const char *const sign =
		"install flt-dkms, which signs flt.ko; then: mokutil --import " DKMS_KEY
		", reboot, and enrol the key at the blue screen";
	const bool secure_boot = flt_machine_secure_boot();
	char signer[64], by[96] = "flt.ko has no signature", reason[128];
	int unsigned_or_missing;

	if (flt_machine_lockdown(c->lockdown, sizeof(c->lockdown)))
		c->lockdown[0] = '\0';
	snprintf(reason, sizeof(reason), "Secure Boot is %s, lockdown is %s",
		 secure_boot ? "on" : "off", c->lockdown[0] ? c->lockdown : "not supported");

	unsigned_or_missing = flt_machine_module_signer("flt", signer, sizeof(signer));
	if (!unsigned_or_missing)
		snprintf(by, sizeof(by), "flt.ko is signed by '%s'", signer);
	else if (!flt_machine_installed(c->release, "flt"))
		snprintf(by, sizeof(by), "flt.ko is not installed");

	if (!flt_machine_signed_only(c->lockdown))
		return check_add(c, "signature", CHECK_OK, 0, NULL, "not required (%s); %s", reason,
				 by);
	if (!access("/sys/module/flt", F_OK))
		return check_add(c, "signature", CHECK_OK, 0, NULL,
				 "required (%s), and the kernel accepted the loaded module",
				 reason);
	return check_add(c, "signature", CHECK_WARN, 0, unsigned_or_missing ? sign : enrol,
			 "required (%s); %s", reason, by);
}
