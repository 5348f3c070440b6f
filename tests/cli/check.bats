#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of 'fltctl check' without the module, without permission, and with other kernels and states of
# the machine than those of this machine.

# setup() creates $dir. Another shell expands the strings in '...'.
# shellcheck disable=SC2154,SC2016
load cli.bash

@test "check without the module returns 5 and names the remedy" {
	without_module
	run --separate-stderr -5 "$FLTCTL" check
	[ -z "$stderr" ]
	[[ $output == *"no    module"* && $output == *"fix: "* ]]
}

@test "check prints a remedy for each missing feature, in text and data" {
	without_module
	"$FLTCTL" check --json >"$dir/json" || [ $? = 5 ]
	json "$dir/json" "all(r['result'] in ('ok', 'warn', 'no', '-') for r in rows)"
	json "$dir/json" "all(r.get('fix') for r in rows if r['result'] == 'no')"
	json "$dir/json" "not any(r.get('fix') for r in rows if r['result'] == 'ok')"
	json "$dir/json" "{'kernel', 'config', 'signature', 'module', 'permission', 'debugfs', 'ftrace', \
		'userfaultfd', 'perf'} <= {r['check'] for r in rows}"
	"$FLTCTL" check --csv >"$dir/csv" || [ $? = 5 ]
	[ "$(head -1 "$dir/csv")" = check,result,detail,fix ]
}

@test "check without capabilities names the missing one" {
	is_root
	run --separate-stderr as_nobody check
	[ "$status" = 5 ] || [ "$status" = 4 ]
	[[ $output == *"no    permission"*CAP_PERFMON*"fix: "*setcap* ]]
}

@test "check distinguishes root in a container from real root" {
	is_root
	unshare -U -r true || skip "no user namespaces here"
	run --separate-stderr unshare -U -r "$FLTCTL" check
	[[ $output == *"not the initial user namespace"* ]]
}

# Run 'fltctl check --json' as with a kernel of RELEASE. Directories and files that exist in $dir/root
# replace those of the machine. modinfo prints $dir/modinfo, if the file exists.
check_as() { # RELEASE
	is_root
	cat >"$dir/uname.c" <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

int uname(struct utsname *name)
{
	memset(name, 0, sizeof(*name));
	strncpy(name->release, getenv("RELEASE"), sizeof(name->release) - 1);
	return 0;
}
END
	[ -e "$dir/uname.so" ] || gcc -shared -fPIC -o "$dir/uname.so" "$dir/uname.c"
	mkdir -p "$dir"/{bin,root/lib/modules,root/usr/src,root/var/lib/dkms}
	if [ -e "$dir/modinfo" ]; then
		printf '#!/bin/sh\nexec cat "%s/modinfo"\n' "$dir" >"$dir/bin/modinfo"
		chmod +x "$dir/bin/modinfo"
	fi
	unshare --mount bash -euc '
		mount -t tmpfs lib /var/lib # may have no dkms
		mkdir /var/lib/dkms
		for path in lib/modules usr/src var/lib/dkms sys/kernel/security sys/module \
				proc/config.gz; do
			[ ! -e "$1/root/$path" ] || mount --bind "$1/root/$path" "/$path"
		done
		export PATH="$1/bin:$PATH" RELEASE="$2" ASAN_OPTIONS=verify_asan_link_order=0
		LD_PRELOAD="$1/uname.so" exec "$3" check --json' bash "$dir" "$1" "$FLTCTL" \
		>"$dir/json" 2>"$dir/err" || [ $? = 5 ] || { cat "$dir/err"; return 1; }
}

# The finding CHECK has RESULT, its detail contains DETAIL, and its remedy FIX (or there is none).
finds() { # CHECK RESULT DETAIL [FIX]
	python3 - "$dir/json" "$@" <<'END'
import json, sys
file, name, result, detail, *fix = sys.argv[1:]
with open(file, encoding="utf-8") as f:
    rows = [row for row in map(json.loads, f) if row["check"] == name]
if not any(row["result"] == result and detail in row["detail"] and
           (fix[0] in row.get("fix", "") if fix else "fix" not in row) for row in rows):
    sys.exit(f"no finding {sys.argv[2:]} in {rows}")
END
}

@test "check warns of a kernel that dkms.conf does not claim" {
	mkdir -p "$dir/root/usr/src/flt-0.1.0"
	touch "$dir/root/usr/src/flt-0.1.0/dkms.conf"
	check_as 99.1.0-test
	finds kernel warn "99.1.0-test is not tested" docs/kernels.md
	finds module no "flt-dkms is installed, but does not build" docs/kernels.md
	check_as 6.12.1+deb13-amd64
	finds kernel ok 6.12.1+deb13-amd64
	check_as 6.120.1+deb13-amd64
	finds kernel warn "not tested" docs/kernels.md
}

# Run check with a kernel that is configured with all options that check knows, except OPTION.
check_without() { # OPTION
	local option options="MODULES KPROBES KRETPROBES TRACEPOINTS RELAY KPROBES_ON_FTRACE DEBUG_FS
		PERF_EVENTS USERFAULTFD TRANSPARENT_HUGEPAGE NUMA_BALANCING TASK_DELAY_ACCT MEMCG"
	mkdir -p "$dir/root/lib/modules/6.12.1-test" "$dir/root/proc"
	: >"$dir/root/proc/config.gz" # hides that of this machine
	for option in $options; do
		[ "$option" = "$1" ] && echo "# CONFIG_$option is not set" || echo "CONFIG_$option=y"
	done >"$dir/root/lib/modules/6.12.1-test/config"
	check_as 6.12.1-test
}

@test "check says what does not work without an option of the kernel" {
	check_without NONE
	finds config ok "/lib/modules/6.12.1-test/config has all required options"
	for option in MODULES KPROBES KRETPROBES TRACEPOINTS RELAY; do
		check_without $option
		finds config no "CONFIG_$option is not set, and flt.ko needs it" "boot a kernel"
	done
	check_without USERFAULTFD
	finds config warn "CONFIG_USERFAULTFD is not set: no 'fltctl record -L -M'"
	check_without TRANSPARENT_HUGEPAGE
	finds config warn "CONFIG_TRANSPARENT_HUGEPAGE is not set: no 'fltctl thp'"
	check_without NUMA_BALANCING
	finds config warn "CONFIG_NUMA_BALANCING is not set: 'fltctl numa' counts no hint faults"
	check_without TASK_DELAY_ACCT
	finds config warn "CONFIG_TASK_DELAY_ACCT is not set: no 'fltctl lat --why'"
	check_without MEMCG
	finds config warn "CONFIG_MEMCG is not set: no 'fltctl record --engine=cgroup'"
	for option in KPROBES_ON_FTRACE DEBUG_FS PERF_EVENTS; do
		check_without $option
		finds config warn "CONFIG_$option is not set: "
	done
}

@test "check distinguishes missing headers from a missing build by DKMS" {
	check_as 6.12.1+deb13-amd64
	finds module no "not installed for this kernel" "install flt-dkms"
	mkdir -p "$dir/root/usr/src/flt-0.1.0" "$dir/root/lib/modules/6.12.1+deb13-amd64"
	touch "$dir/root/usr/src/flt-0.1.0/dkms.conf"
	ln -s /usr/src/linux-headers-6.12.1+deb13-amd64 "$dir/root/lib/modules/6.12.1+deb13-amd64/build"
	check_as 6.12.1+deb13-amd64
	finds module no "the headers of this kernel are missing" "apt install linux-headers-6.12.1+deb13-amd64"
	mkdir "$dir/root/usr/src/linux-headers-6.12.1+deb13-amd64"
	touch "$dir/root/usr/src/linux-headers-6.12.1+deb13-amd64/Makefile"
	check_as 6.12.1+deb13-amd64
	finds module no "DKMS has not built flt.ko" "dkms autoinstall -k 6.12.1+deb13-amd64"
}

# Install a file as flt.ko of kernel 6.12.1+deb13-amd64.
install_module() { # FILE
	mkdir -p "$dir/root/lib/modules/6.12.1+deb13-amd64/updates/dkms"
	cp "$1" "$dir/root/lib/modules/6.12.1+deb13-amd64/updates/dkms/flt.ko"
	printf '%s\n' kernel/fs/flt_not.ko: updates/dkms/flt.ko: kernel/net/other.ko: \
		>"$dir/root/lib/modules/6.12.1+deb13-amd64/modules.dep"
}

@test "check recognizes the stub and prints what the kernel lacks" {
	cat >"$dir/stub.c" <<'END'
__attribute__((section(".modinfo"), used)) static const char lacks[] =
	"lacks=CONFIG_KPROBES CONFIG_RELAY";
END
	gcc -c -o "$dir/stub.ko" "$dir/stub.c"
	install_module "$dir/stub.ko"
	check_as 6.12.1+deb13-amd64
	finds module no "this kernel lacks CONFIG_KPROBES CONFIG_RELAY, which flt needs" docs/kernels.md
	echo 'int module;' >"$dir/stub.c"
	gcc -c -o "$dir/stub.ko" "$dir/stub.c"
	install_module "$dir/stub.ko"
	check_as 6.12.1+deb13-amd64
	finds module no "installed, but not loaded" "modprobe flt"
}

# Pretend that the kernel is in this state of lockdown.
lockdown() { # none|integrity|confidentiality
	mkdir -p "$dir/root/sys/kernel/security"
	echo "none integrity confidentiality" | sed "s/$1/[&]/" >"$dir/root/sys/kernel/security/lockdown"
}

# The number has the form of a serial number of DKMS's certificate.
serial=1F:0A:22:B3:C4:D5:E6:F7:08:19
signed_by() { # NAME
	printf 'filename:       flt.ko\nsig_id:         PKCS#7\nsigner:         %s\nsig_key:        %s\n' \
		"$1" $serial >"$dir/modinfo"
}

@test "check names the remedy for each kind of signature" {
	lockdown integrity
	check_as 6.12.1+deb13-amd64
	finds signature warn "lockdown is integrity); flt.ko is not installed" "install flt-dkms"

	touch "$dir/empty"
	install_module "$dir/empty"
	echo "filename:       flt.ko" >"$dir/modinfo"
	check_as 6.12.1+deb13-amd64
	finds signature warn "flt.ko has no signature" "or sign flt.ko with a key"
	mkdir "$dir/root/var/lib/dkms/flt"
	check_as 6.12.1+deb13-amd64
	finds signature warn "flt.ko has no signature" "apt install openssl"

	signed_by "DKMS module signing key"
	check_as 6.12.1+deb13-amd64
	finds signature warn "signed by 'DKMS module" "the certificate of"
	json "$dir/json" "not any('mok.pub' in r.get('fix', '') for r in rows)"
	# The name of the signer is the same on all machines.
	echo "another DKMS module signing key" >"$dir/root/var/lib/dkms/mok.pub"
	check_as 6.12.1+deb13-amd64
	finds signature warn "signed by 'DKMS module" "the certificate of"
	printf 'DKMS\x02\x0a\x1f\x0a\x22\xb3\xc4\xd5\xe6\xf7\x08\x19end' >"$dir/root/var/lib/dkms/mok.pub"
	check_as 6.12.1+deb13-amd64
	finds signature warn "signed by 'DKMS module" "mokutil --import /var/lib/dkms/mok.pub"

	lockdown none
	check_as 6.12.1+deb13-amd64
	finds signature ok "lockdown is none); flt.ko is signed by 'DKMS"
}

@test "check names the signer of the file of a loaded module" {
	lockdown none
	touch "$dir/empty"
	install_module "$dir/empty"
	mkdir -p "$dir"/root/sys/module/{flt,module/parameters}
	echo Y >"$dir/root/sys/module/module/parameters/sig_enforce"
	signed_by "somebody"
	check_as 6.12.1+deb13-amd64
	finds signature ok "the kernel accepted the loaded module; flt.ko is signed by 'somebody'"
	echo "filename:       flt.ko" >"$dir/modinfo"
	check_as 6.12.1+deb13-amd64
	finds signature warn "will reject the installed file: flt.ko has no signature" "sign flt.ko"
}

@test "check says that an unreadable state is unknown" {
	mkdir -p "$dir/root/sys/kernel/security"
	touch "$dir/empty"
	install_module "$dir/empty"
	check_as 6.12.1+deb13-amd64
	finds signature - "lockdown is unknown); the signature of flt.ko is unknown" "mount -t securityfs"
	lockdown integrity
	check_as 6.12.1+deb13-amd64
	finds signature warn "signature of flt.ko is unknown: modinfo cannot read the file" "install kmod"
}

@test "check does not say that lockdown hides debugfs" {
	lockdown confidentiality
	check_as 6.12.1+deb13-amd64
	finds signature warn "lockdown is confidentiality" "install flt-dkms"
	json "$dir/json" "not any('lockdown' in r['detail'] for r in rows if r['check'] == 'debugfs')"
}

@test "check says that record -L refuses userfaultfd with fewer abilities" {
	is_root
	run --separate-stderr as_nobody check
	grep -E "^warn +userfaultfd +(only for faults in user mode|not (for forked children|usable)): no 'fltctl record -L -M'" \
		<<<"$output"
}
