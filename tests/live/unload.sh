#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300
# shellcheck disable=SC2119
# Promise: the module can always be unloaded when none of its files is open: with
# 1,000 tasks asleep in the probed function, with sessions open, under a storm of
# faults; and nothing of it stays behind.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

rounds=3 storms=6 sleepers=1000
if [ -n "$LONG" ]; then
	rounds=50 storms=200
fi

# An open file pins it; closing it is enough.
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
! loaded || bad "still loaded after the file was closed"

# A session does not.
held() { # fltq-hold-ARGUMENTS...
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
held -f $$
# Nor does one that streams as long as nobody has its files open; while it is written to.
storm 1 2 >"$tmp/storm" 2>&1 &
stormer=$!
for ((i = 0; i < rounds; i++)); do
	load accounting=0
	held -s
done
kill "$stormer"
wait "$stormer" || bad "the storm beside a stream: status $?"

# Sleepers. Each round wakes them without their pages: they come back into the
# function that is probed by then, and sleep there when the module goes.
mkfifo "$tmp/fifo"
asleep hold "$sleepers" <"$tmp/fifo" >"$tmp/asleep" 2>&1 &
holder=$!
exec 7>"$tmp/fifo"
until_true grep -q asleep "$tmp/asleep" || bad "the threads are not asleep: $(cat "$tmp/asleep")"
for ((i = 1; i <= rounds; i++)); do
	load
	echo >&7
	asleep_again() { [ "$(grep -c asleep "$tmp/asleep")" = $((i + 1)) ]; }
	until_true asleep_again || bad "round $i: not asleep again"
	at_least "round $i: entered" "$(fltq machine | field hits)" "$sleepers"
	unload
	checks=$((checks + 1))
	! loaded || bad "round $i: still loaded"
	say "round $i"
done
exec 7>&-
wait "$holder" || bad "the sleepers: status $?"
same "the sleepers woke" "$(tail -1 "$tmp/asleep")" "done"
rm "$tmp/fifo"

# Under a storm, in all ways to load it.
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
# Freed after a grace period. One table kept per round would show many times over.
settled() { [ $(($(memory) - before)) -lt $((table / 1024)) ]; }
until_true settled || bad "$storms rounds took $(($(memory) - before)) kB, the tables are $((table / 1024)) kB"
same "vmalloc areas left" "$(lines '[[]flt[]]' /proc/vmallocinfo)" 0
say "memory after $storms rounds: $(($(memory) - before)) kB more; tables are $((table / 1024)) kB"
finish
