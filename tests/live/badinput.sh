#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: the module refuses each malformed or forbidden request with the errno of its cause
# and a message, and keeps working.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

messages=$(sized 3000 12000 200000)

expect() { # WHAT COMMAND...
	local what=$1
	shift
	checks=$((checks + 1))
	"$@" >"$tmp/out" 2>&1 || bad "$what: got exit status $?, expected 0: $(cat "$tmp/out")"
	say "$what: $(tail -1 "$tmp/out")"
}

load
expect "malformed requests" genlcases refused

# Reading needs CAP_PERFMON or CAP_SYS_ADMIN, changing other processes needs CAP_SYS_ADMIN, in the
# first user namespace.
expect "root" genlcases sys_admin
expect "CAP_PERFMON" setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps +perfmon --ambient-caps +perfmon genlcases perfmon
expect "CAP_SYS_ADMIN" setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps +sys_admin --ambient-caps +sys_admin genlcases sys_admin
expect "user without capabilities" \
	setpriv --reuid 65534 --regid 65534 --clear-groups genlcases denied
expect "CAP_NET_ADMIN" setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps +net_admin --ambient-caps +net_admin genlcases denied
expect "root without capabilities" setpriv --bounding-set -all --inh-caps -all genlcases denied
expect "root in a user namespace" unshare --user --map-root-user genlcases denied
expect "sockets opened and used with different capabilities" genlcases borrowed
expect "another network namespace" unshare --net genlcases sys_admin
expect "another user and network namespace" \
	unshare --user --map-root-user --net genlcases denied

# Relay files and debugfs belong to root: capabilities for the module do not open them.
mkfifo "$tmp/hold"
fltq hold -s <"$tmp/hold" >"$tmp/held" 2>&1 &
holder=$!
exec 6>"$tmp/hold"
until_true test -s "$tmp/held" || bad "no session"
relay=$debugfs/session-$(field id <"$tmp/held")/cpu0
for file in "$relay" "$debugfs/hooks" "$debugfs/faults_minor"; do
	expect "root: $file" head -c 64 "$file"
	for caps in -all +perfmon +sys_admin; do
		checks=$((checks + 1))
		! setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$caps" \
			--ambient-caps "$caps" cat "$file" >"$tmp/out" 2>&1 ||
			bad "$file: user 65534 with capabilities $caps can open the file"
		same "$file, capabilities $caps" "$(cat "$tmp/out")" "cat: $file: Permission denied"
	done
done
exec 6>&-
wait "$holder"
# Check that genlcases absent fails if it finds the module.
checks=$((checks + 1))
! genlcases absent >/dev/null || bad "genlcases absent does not find the loaded module"

# Send random messages while the module counts faults.
storm 1 1 >/dev/null 2>&1 &
stormer=$!
for seed in 1 2 3 4; do
	expect "random messages, seed $seed" genlfuzz $((messages / 4)) "$seed"
done
kill "$stormer"
wait "$stormer" || true
same "sessions after random messages" "$(fltq info | field sessions)" 0
equal "fork tree after random messages" tree fork 50 4
unload

load accounting=0
expect "random messages, accounting off" genlfuzz $((messages / 10)) 5
same "sessions after random messages, accounting off" "$(fltq info | field sessions)" 0
finish
