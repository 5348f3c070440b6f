#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 numa=1 timeout=240
# shellcheck disable=SC2119
# Promise: NUMA hint faults are counted as such.
#
# The kernel's scanner decides how many there are, so the oracle is the kernel's
# own numa_hint_faults, machine-wide, over the same time. It counts after looking
# at the entry again under its lock, we before: an entry that another thread of
# the process settled in between is the only difference, and the process here has
# one thread.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# As it is at boot; another test of this machine's may have ended it.
echo 1 2>/dev/null >/proc/sys/kernel/numa_balancing || skip "no NUMA balancing"
for knob in scan_delay_ms scan_period_min_ms; do
	echo 100 >"/sys/kernel/debug/sched/numa_balancing/$knob"
done

hints() { awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat; }
counted() { fltq tally | field all.kind.numa; }

# What was marked before still faults when nothing is marked any more, also in the
# programs that look: only a moment in which the kernel's number holds still will do.
held_still() {
	a=$(hints)
	n=$(counted)
	[ "$(hints)" = "$a" ]
}

echo 0 >/proc/sys/kernel/numa_balancing
load
until_true held_still || bad "the hint faults of before never stop"
start=$a before=${n:-0}
echo 1 >/proc/sys/kernel/numa_balancing
# Write 16 MB over and over, moved to the other node's CPU half way.
tree rewrite 4096 600 &
pid=$!
sleep 1
taskset -p -c 0 "$pid" >/dev/null
sleep 2
taskset -p -c 1 "$pid" >/dev/null
# As long as it takes until the scanner has been there, at most half a minute.
seen() { [ $(($(hints) - start)) -ge 100 ]; }
until_true seen || true
kill "$pid"
wait "$pid" || true
echo 0 >/proc/sys/kernel/numa_balancing
sleep 1
until_true held_still || bad "the hint faults never stop"
at_least "hint faults" $((a - start)) 100
same "of kind numa" $((n - before)) $((a - start))
unload
equal_after() {
	load
	equal "with hint faults" tree threads 8 64
}
echo 1 >/proc/sys/kernel/numa_balancing
equal_after
finish
