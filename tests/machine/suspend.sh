#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# Promise: counts and streams stay exact while the machine suspends to idle and to memory, and the
# latencies of faults that a suspend interrupts do not include the suspend.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

success=/sys/power/suspend_stats/success
[ -e $success ] || success=/sys/kernel/debug/suspend_stats
# Print how many times the machine was suspended.
suspends() { sed -n 's/^\(success: \)\?\([0-9]*\)$/\2/p' $success | head -n 1; }

# Suspend again and again, to idle and to memory in turn, until tests/machine/check wakes the
# machine. To memory, the kernel takes all CPUs but one offline.
suspend_often() {
	local state=freeze next=mem
	while :; do
		# A task that does not stop within 20 s would make the kernel give up.
		echo "$state" >/sys/power/state || echo "$state" >>"$tmp/refused"
		read -r state next <<<"$next $state"
		sleep 0.3
	done
}

# Run a command once, and again until the machine was suspended twice.
during_suspends() { # COMMAND...
	local before
	before=$(suspends)
	while "$@" && [ "$(suspends)" -lt $((before + 2)) ]; do :; done
}

load accounting=latency
: >"$tmp/refused"
echo enabled >/sys/devices/platform/i8042/serio0/power/wakeup
echo deep >/sys/power/mem_sleep
fltq machine >"$tmp/before"
storm 1 2 >/dev/null 2>&1 &
stormer=$!
suspend_often 2>"$tmp/suspend.err" &
suspender=$!
during_suspends equal "fork tree" tree fork 60 8
say "fork trees"
during_suspends equal "threads" tree threads 32 16
say "threads"
during_suspends equal "userfaultfd" kinds uffd 50
# CLOCK_MONOTONIC, which the program reads, stands still during a suspend. Latencies must do so, too.
# Each fault sleeps three times for 300 ms, so most of the suspends meet a sleeping fault. A suspend
# interrupts such a fault, and the kernel counts it or not, so the program may find a wrong number.
time_sleeping_faults() {
	fltq around -o "$tmp/sections" -- asleep attempts 4 2 300 >"$tmp/out" || true
	at_most "latency of sleeping faults" "$(field latency_sum <"$tmp/sections")" \
		"$(awk '$1 == "elapsed" { print $2 }' "$tmp/out")"
	at_least "latency of sleeping faults" "$(field latency_sum <"$tmp/sections")" 300000000
	same "readings of the clock that went back" "$(field clock_back <<<"$(fltq tally)")" 0
}
during_suspends time_sleeping_faults
say "sleeping faults"

trace_during_suspend() {
	local status=0
	"$FLTCTL" trace -B 64 --csv -- faultrun -o "$tmp/run" -- tree fork 120 8 \
		>"$tmp/trace.csv" 2>"$tmp/err" || status=$?
	same "trace: exit status" "$status" 0
	traced "trace"
}
during_suspends trace_during_suspend
say "streams"

kill $suspender $stormer
wait $suspender $stormer 2>/dev/null || true
say "$(suspends) suspends"
# A wake-up can stop a suspend that has just begun, but most of them succeed.
at_most "refused suspends ($(sort "$tmp/refused" | uniq -c | tr '\n' ' '))" \
	"$(wc -l <"$tmp/refused")" "$(suspends)"
fltq machine >"$tmp/after"
same_as_vmstat "machine" all.failed
same "missed faults" "$(delta all.missed)" 0
finish
