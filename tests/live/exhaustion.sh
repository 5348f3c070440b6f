#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=300
# shellcheck disable=SC2119
# Promise: with the default number of probe instances nothing is missed while
# 1,000 threads are asleep in a fault; with too few, what is missed is counted
# exactly, minor and major stay right, and every output says so.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

sleepers=1000
tracefs=/sys/kernel/tracing

# An entry probe that is not ours counts the calls: it has no instances to run out of.
probe_on() {
	echo 'p:oracle/calls handle_mm_fault' >"$tracefs/kprobe_events"
	echo 1 >"$tracefs/events/oracle/calls/enable"
}
probe_off() {
	echo 0 >"$tracefs/events/oracle/calls/enable"
	echo >"$tracefs/kprobe_events"
}

# The sleepers, and other programs that fault while they sleep.
scene() {
	rm -f "$tmp/asleep"
	mkfifo "$tmp/fifo"
	"$@" asleep hold "$sleepers" <"$tmp/fifo" >"$tmp/asleep" 2>&1 &
	local pid=$!
	exec 7>"$tmp/fifo"
	until_true grep -q asleep "$tmp/asleep" || bad "the threads are not asleep: $(cat "$tmp/asleep")"
	tree fork 10 8
	kinds anon 200 >/dev/null
	exec 7>&-
	local rc=0
	wait "$pid" || rc=$?
	rm "$tmp/fifo"
	say "${*##*/}"
	return "$rc"
}

delta() { echo $(($(field "$1" <"$tmp/after") - $(field "$1" <"$tmp/before"))); }

probe_on
load
fltq machine >"$tmp/before"
scene fltq follow -o "$tmp/rows" -- faultrun -w -o "$tmp/oracle" --
fltq machine >"$tmp/after"
same "default: missed, instances" "$(delta missed_full)" 0
same "default: missed, busy" "$(delta missed_busy)" 0
same "default: missed in the account" "$(delta all.missed)" 0
same "default: hits = calls" "$(delta hits)" "$(delta probe)"
same "default: calls = minor + major + failed + retried" \
	$(($(delta all.minor) + $(delta all.major) + $(delta all.failed) + $(delta all.retried))) \
	"$(delta probe)"
checks=$((checks + 1))
awk -v name="default: the sleepers" -v tree=0 -v may_miss=0 -v late=0 -f tests/live/equal.awk \
	"$tmp/oracle" "$tmp/rows" || bad "default: the sleepers"
at_least "default: instances" "$(fltq info | field maxactive)" 4096
unload

load maxactive=64
fltq machine >"$tmp/before"
scene fltq follow -o "$tmp/rows" -- faultrun -w -o "$tmp/oracle" --
fltq machine >"$tmp/after"
same "64: instances" "$(fltq info | field maxactive)" 64
at_least "64: missed" "$(delta missed_full)" $((sleepers - 64))
same "64: hits + missed = calls" \
	$(($(delta hits) + $(delta missed_full) + $(delta missed_busy))) "$(delta probe)"
at_least "64: missed in the account" "$(delta all.missed)" 1
checks=$((checks + 1))
awk -v name="64: the sleepers" -v tree=0 -v may_miss=1 -v late=0 -f tests/live/equal.awk \
	"$tmp/oracle" "$tmp/rows" || bad "64: the sleepers"
same "64: the machine, ended faults" \
	$(($(delta rows.minor) + $(delta rows.major) + $(delta retired.minor) + $(delta retired.major) + \
	$(delta other.minor) + $(delta other.major))) \
	$(($(delta all.minor) + $(delta all.major)))
same "64: debugfs says so" "$(field debugfs.lost_full <"$tmp/after")" \
	"$(field lost_full <"$tmp/after")"
same "64: debugfs, missed" "$(field debugfs.faults_missed <"$tmp/after")" \
	"$(field all.missed <"$tmp/after")"

# fltctl, in each form: status 3, and the loss in words or numbers.
if [ -x "$FLTCTL" ]; then
	sleepers=200
	for form in "" --json --csv; do
		rc=0
		# shellcheck disable=SC2086
		scene "$FLTCTL" stats $form -- || rc=$?
		same "fltctl stats $form: status" "$rc" 3
		checks=$((checks + 1))
		grep -qiE 'missed|lost' "$tmp/asleep" || bad "fltctl stats $form does not say that faults were missed"
	done
fi
unload

# Threads that found no place of their own are in the stream of their process all the same.
load max_tasks=16
status=0
"$FLTCTL" trace -B 64 --csv -- faultrun -o "$tmp/run" -- tree threads 32 256 >"$tmp/trace.csv" 2>"$tmp/err" || status=$?
same "16 threads: trace, status" "$status" 0
traced "16 threads"
at_least "16 threads: without a place" "$(fltq tally | field lost_task)" 1
unload
probe_off
finish
