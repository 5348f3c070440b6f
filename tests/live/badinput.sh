#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300
# shellcheck disable=SC2119
# Promise: every request that is malformed, or not permitted, is refused with the
# errno of its cause and a sentence; nothing breaks.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

messages=8000
[ -z "$LONG" ] || messages=200000

expect() { # WHAT COMMAND...
	local what=$1
	shift
	checks=$((checks + 1))
	"$@" >"$tmp/out" 2>&1 || bad "$what (status $?): $(cat "$tmp/out")"
	say "$what: $(tail -1 "$tmp/out")"
}

load
expect "refused" genlcases refused

# Who may ask. CAP_PERFMON is enough; all others are refused.
expect "root" genlcases allowed
expect "CAP_PERFMON" setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps +perfmon --ambient-caps +perfmon genlcases allowed
expect "CAP_SYS_ADMIN" setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps +sys_admin --ambient-caps +sys_admin genlcases allowed
expect "nobody" setpriv --reuid 65534 --regid 65534 --clear-groups genlcases denied
expect "CAP_NET_ADMIN" setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps +net_admin --ambient-caps +net_admin genlcases denied
expect "root without capabilities" setpriv --bounding-set -all --inh-caps -all genlcases denied
expect "root of a user namespace" unshare --user --map-root-user genlcases denied
expect "borrowed sockets" genlcases borrowed
expect "another network namespace" unshare --net genlcases absent
expect "user and network namespace" unshare --user --map-root-user --net genlcases absent
# A file of its own: the tool must say when it does find it.
checks=$((checks + 1))
! genlcases absent >/dev/null || bad "genlcases absent finds nothing although the module is loaded"

# Random messages, with faults to count meanwhile.
storm 1 1 >/dev/null 2>&1 &
stormer=$!
for seed in 1 2 3 4; do
	expect "random, seed $seed" genlfuzz $((messages / 4)) "$seed"
done
kill "$stormer"
wait "$stormer" || true
same "sessions left" "$(fltq info | field sessions)" 0
equal "still exact" tree fork 50 4
unload

load accounting=0
expect "random, accounting off" genlfuzz $((messages / 10)) 5
same "sessions left" "$(fltq info | field sessions)" 0
finish
