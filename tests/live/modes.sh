#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 cpus=2 timeout=300 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: with accounting=counts only entries of faults are probed. Returns are probed while a
# session needs them. A switch between the two loses no fault and counts none twice.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

switches=$(sized 100 400 1000) threads=$(sized 500 1000 2000)

state_of() { fltq hooks | awk -v name="name=$1" '$0 ~ name { print }' | field state; }

# States: 1 idle, 2 armed.
probes_are() { # WHEN ENTRY FAULT
	same "$1: probe on entry" "$(state_of entry)" "$2"
	same "$1: probe on return" "$(state_of fault)" "$3"
}

load accounting=counts
probes_are "no session" 2 1
same "no session: returns" "$(fltq info | field returns)" 0
mkfifo "$tmp/end"
fltq hold -c <"$tmp/end" >"$tmp/session" &
exec 7>"$tmp/end"
until_true test -s "$tmp/session" || bad "no session"
probes_are "a session that needs counts" 2 1
exec 7>&-
wait $!
mkfifo "$tmp/end2"
fltq hold <"$tmp/end2" >"$tmp/session2" &
exec 7>"$tmp/end2"
until_true test -s "$tmp/session2" || bad "no session"
returned() { [ "$(state_of entry) $(state_of fault)" = "1 2" ]; }
until_true returned || bad "the probe on entry stays in a session that needs more"
same "a session that needs more: returns" "$(fltq info | field returns)" 1
exec 7>&-
wait $!
settled() { [ "$(state_of entry) $(state_of fault)" = "2 1" ]; }
until_true settled || bad "the probe on return stays after the session"
same "after the session: returns" "$(fltq info | field returns)" 0

# While entries are probed, the reader adds the open fault of each thread.
fltq machine >"$tmp/before"
tree fork 50 8
kinds uffd 50 >/dev/null
fail sigbus 20 >/dev/null
fltq machine >"$tmp/after"
same_as_vmstat "machine" all.unfinished
same "machine: failed" "$(delta all.failed)" 0
at_least "machine: stitched" "$(delta all.stitched)" 50

# Switch during a storm of faults.
fltq switch $((switches / 2)) >"$tmp/switches" &
switcher=$!
rounds=0
while kill -0 $switcher 2>/dev/null; do
	COUNTS=1 equal "switches during a storm: threads" tree threads 64 "$threads"
	COUNTS=1 equal "switches during a storm: processes" -w tree fork 100 8
	COUNTS=1 equal "switches during a storm: exec" tree exec 20
	COUNTS=1 equal "switches during a storm: sleeping faults" kinds uffd 100
	rounds=$((rounds + 1))
done
wait $switcher || bad "fltq switch: status $?"
same "switches" "$(cat "$tmp/switches")" "switches $switches"
say "$switches switches, $rounds rounds"
at_least "rounds during the switches" "$rounds" 2
until_true settled || bad "the probe on return stays after the switches"
unload

load
probes_are "accounting=counts, the default" 2 1
unload
load accounting=latency
probes_are "accounting=latency" 1 2
unload
load accounting=0
probes_are "accounting=0" 1 1
unload
checks=$((checks + 1))
! insmod "$FLT_KO" accounting=x 2>/dev/null || bad "accounting=x: loaded"
finish
