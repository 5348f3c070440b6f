#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300 quick=1
# shellcheck disable=SC2119
# Promise: the module can always be unloaded if none of its files is open: with open sessions and
# under a fault storm. Unloading leaves no memory allocated.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

rounds=$(sized 2 8 50) storms=$(sized 3 12 200)

# An open file in debugfs prevents unloading until it is closed.
load
exec 8<"$debugfs/procs"
checks=$((checks + 1))
if rmmod flt 2>"$tmp/err"; then
	bad "rmmod with an open file succeeded"
	load
fi
checks=$((checks + 1))
grep -q "in use" "$tmp/err" || bad "rmmod with an open file: $(cat "$tmp/err")"
exec 8<&-
unload
checks=$((checks + 1))
! loaded || bad "the module is still loaded after the file was closed"

# An open session does not prevent unloading. Unloading ends the session.
unload_with_session() { # fltq-hold-ARGUMENTS...
	mkfifo "$tmp/hold"
	fltq hold "$@" <"$tmp/hold" >"$tmp/session" 2>&1 &
	holder=$!
	exec 7>"$tmp/hold"
	until_true grep -q '^session' "$tmp/session" || bad "no session: $(cat "$tmp/session")"
	unload
	exec 7>&-
	wait "$holder" && bad "the session survived the module"
	rm "$tmp/hold" "$tmp/session"
}
load accounting=0
unload_with_session -f $$
# A streaming session does not prevent unloading either if its files are not open. The storm
# writes to the stream meanwhile.
storm 1 2 >"$tmp/storm" 2>&1 &
stormer=$!
for ((i = 0; i < rounds; i++)); do
	load accounting=0
	unload_with_session -s
done
kill "$stormer"
wait "$stormer" || bad "the storm during streaming: status $?"

# Load and unload under a fault storm, with different parameters.
memory() { awk '/^(Percpu|VmallocUsed|SUnreclaim):/ { kb += $2 } END { print kb }' /proc/meminfo; }
load
table=$(fltq info | field memory)
unload
storm 1 2 >"$tmp/storm" 2>&1 &
stormer=$!
before=$(memory)
for ((i = 1; i <= storms; i++)); do
	case $((i % 3)) in
	0) load accounting=0;;
	1) load;;
	2) load maxactive=16 max_procs=64 max_tasks=64;;
	esac
	unload
	say "storm $i"
done
kill "$stormer"
wait "$stormer" || bad "the storm: status $?"
checks=$((checks + 1))
# The tables are freed after an RCU grace period. If each round leaked its tables, memory would
# grow by several times their size.
settled() { [ $(($(memory) - before)) -lt $((table / 1024)) ]; }
until_true settled ||
	bad "$storms rounds leaked $(($(memory) - before)) kB; the tables have $((table / 1024)) kB"
same "vmalloc areas left" "$(lines '[[]flt[]]' /proc/vmallocinfo)" 0
say "memory after $storms rounds: $(($(memory) - before)) kB more; the tables have" \
	"$((table / 1024)) kB"
finish
