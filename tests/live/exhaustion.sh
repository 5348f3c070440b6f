#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: with the default number of probe instances, the probe misses no fault while 1,000
# threads sleep in a fault. With too few instances, the module counts missed faults exactly,
# minor and major stay correct, and each output reports the loss.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

sleepers=1000
tracefs=/sys/kernel/tracing

# Count the calls with a separate entry probe, which needs no instances.
probe_on() {
	echo 'p:oracle/calls handle_mm_fault' >"$tracefs/kprobe_events"
	echo 1 >"$tracefs/events/oracle/calls/enable"
}
probe_off() {
	echo 0 >"$tracefs/events/oracle/calls/enable"
	echo >"$tracefs/kprobe_events"
}

# run_with_sleepers COMMAND...: run COMMAND with the workload `asleep hold`. Run other programs
# that fault while its threads sleep in a fault. Return the exit status of COMMAND.
run_with_sleepers() {
	rm -f "$tmp/asleep"
	mkfifo "$tmp/fifo"
	"$@" asleep hold "$sleepers" <"$tmp/fifo" >"$tmp/asleep" 2>&1 &
	local pid=$!
	exec 7>"$tmp/fifo"
	until_true grep -q asleep "$tmp/asleep" ||
		bad "the threads do not sleep in a fault: $(cat "$tmp/asleep")"
	tree fork 10 8
	kinds anon 200 >/dev/null
	exec 7>&-
	local rc=0
	wait "$pid" || rc=$?
	rm "$tmp/fifo"
	say "${*##*/}"
	return "$rc"
}

probe_on
load accounting=latency
fltq machine >"$tmp/before"
run_with_sleepers fltq follow -o "$tmp/rows" -- faultrun -w -o "$tmp/oracle" --
fltq machine >"$tmp/after"
same "default: faults missed without an instance" "$(delta missed_full)" 0
same "default: faults missed by a busy probe" "$(delta missed_busy)" 0
same "default: missed faults of the machine" "$(delta all.missed)" 0
same "default: hits, compared with calls" "$(delta hits)" "$(delta probe)"
same "default: minor + major + failed + retried, compared with calls" \
	$(($(delta all.minor) + $(delta all.major) + $(delta all.failed) + $(delta all.retried))) \
	"$(delta probe)"
checks=$((checks + 1))
awk -v name="default: sleeping threads" -v tree=0 -v may_miss=0 -v late=0 -f tests/live/equal.awk \
	"$tmp/oracle" "$tmp/rows" || bad "default: sleeping threads"
at_least "default: number of instances" "$(fltq info | field maxactive)" 4096
unload

load accounting=latency maxactive=64
fltq machine >"$tmp/before"
run_with_sleepers fltq follow -o "$tmp/rows" -- faultrun -w -o "$tmp/oracle" --
fltq machine >"$tmp/after"
same "64 instances: number of instances" "$(fltq info | field maxactive)" 64
at_least "64 instances: faults missed without an instance" "$(delta missed_full)" \
	$((sleepers - 64))
same "64 instances: hits + missed, compared with calls" \
	$(($(delta hits) + $(delta missed_full) + $(delta missed_busy))) "$(delta probe)"
at_least "64 instances: missed faults of the machine" "$(delta all.missed)" 1
checks=$((checks + 1))
awk -v name="64 instances: sleeping threads" -v tree=0 -v may_miss=1 -v late=0 \
	-f tests/live/equal.awk "$tmp/oracle" "$tmp/rows" || bad "64 instances: sleeping threads"
same "64 instances: minor + major of rows, retired and other, compared with the machine" \
	$(($(delta rows.minor) + $(delta rows.major) + \
	$(delta retired.minor) + $(delta retired.major) + \
	$(delta other.minor) + $(delta other.major))) \
	$(($(delta all.minor) + $(delta all.major)))
same "64 instances: lost_full of debugfs" "$(field debugfs.lost_full <"$tmp/after")" \
	"$(field lost_full <"$tmp/after")"
same "64 instances: faults_missed of debugfs" "$(field debugfs.faults_missed <"$tmp/after")" \
	"$(field all.missed <"$tmp/after")"

# In each format, fltctl exits with status 3 and reports the loss.
if [ -x "$FLTCTL" ]; then
	sleepers=200
	for form in "" --json --csv; do
		case $form in
		--json) loss='"complete":false' ;;
		--csv) loss=',false,' ;; # the only column of this type is complete
		*) loss='the result is incomplete' ;;
		esac
		rc=0
		# shellcheck disable=SC2086
		run_with_sleepers "$FLTCTL" stats $form -- || rc=$?
		same "fltctl stats $form: exit status" "$rc" 3
		checks=$((checks + 1))
		grep -qF "$loss" "$tmp/asleep" ||
			bad "fltctl stats $form: missing report of the loss ($loss)"
	done
fi
unload

# The stream contains the faults of threads for which the table had no slot.
load max_tasks=16
status=0
"$FLTCTL" trace -B 64 --csv -- faultrun -o "$tmp/run" -- tree threads 32 256 \
	>"$tmp/trace.csv" 2>"$tmp/err" || status=$?
same "16 slots of threads: exit status of trace" "$status" 0
traced "16 slots of threads"
at_least "16 slots of threads: faults of threads without a slot" "$(fltq tally | field lost_task)" 1
unload
probe_off
finish
