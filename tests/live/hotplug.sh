#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=240
# shellcheck disable=SC2119
# Promise: CPUs may come and go under load; counts stay exact.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

cpu=/sys/devices/system/cpu/cpu1/online
[ -w "$cpu" ] || skip "no CPU that can be taken away"
rounds=1
[ -z "$LONG" ] || rounds=30

load
fltq machine >"$tmp/before"
storm 1 2 >/dev/null 2>&1 &
stormer=$!
while :; do
	echo 0 >"$cpu"
	sleep 0.2
	echo 1 >"$cpu"
	sleep 0.2
	echo x >>"$tmp/cycles"
done &
plugger=$!
for ((i = 1; i <= rounds; i++)); do
	equal "round $i: fork tree" tree fork 60 8
	equal "round $i: threads" tree threads 32 16
	equal "round $i: userfaultfd" kinds uffd 50
done
# A stream that is opened while a CPU may be away has the faults of that one, too.
status=0
"$FLTCTL" trace -B 64 --csv -- faultrun -o "$tmp/run" -- tree fork 120 8 >"$tmp/trace.csv" 2>"$tmp/err" || status=$?
same "trace: status" "$status" 0
traced "trace"
kill "$plugger" "$stormer"
wait "$plugger" "$stormer" 2>/dev/null || true
at_least "cycles" "$(wc -l <"$tmp/cycles")" 2
# And with the CPU away: what it had counted is still there.
echo 0 >"$cpu"
fltq machine >"$tmp/after"
echo 1 >"$cpu"
delta() { echo $(($(field "$1" <"$tmp/after") - $(field "$1" <"$tmp/before"))); }
ended=$(($(delta all.minor) + $(delta all.major) + $(delta all.failed)))
[ "$KERNEL" != 6.1 ] || ended=$((ended + $(delta all.retried)))
same "pgfault of /proc/vmstat" "$ended" "$(delta pgfault)"
same "missed" "$(delta all.missed)" 0
finish
