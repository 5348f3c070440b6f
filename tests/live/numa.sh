#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: mem=1536 disk=256 zram=1 cpus=2 numa=1 timeout=240
# shellcheck disable=SC2119
# Promise: NUMA hint faults are counted as faults of kind numa.
#
# The scanner of the kernel determines their number, so the oracle is numa_hint_faults in
# /proc/vmstat over the same time. The kernel counts after it checked the page table entry
# again under its lock, flt before. The counts could differ only if another thread of the
# process handled the entry in between, but the process has one thread.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# Enable NUMA balancing as at boot, because another test may have disabled it.
if [ ! -e /proc/sys/kernel/numa_balancing ]; then
	load
	status=0
	"$FLTCTL" numa 100ms 1 >"$tmp/out" 2>"$tmp/err" || status=$?
	same "no NUMA balancing: exit status" $status 0
	same "no NUMA balancing: message" \
		"$(lines 'this kernel has no NUMA balancing' "$tmp/err")" 1
	"$FLTCTL" check >"$tmp/out"
	[ ! -r "/lib/modules/$(uname -r)/config" ] || same "no NUMA balancing: configuration" \
		"$(lines '^warn *config .*CONFIG_NUMA_BALANCING is not set' "$tmp/out")" 1
	unload
	[ "$failures" = 0 ] || finish
	skip "no NUMA balancing"
fi
echo 1 >/proc/sys/kernel/numa_balancing
for knob in scan_delay_ms scan_period_min_ms; do
	balancing_knob $knob 100
done

kernel_count() { awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat; }
flt_count() { fltq tally | field all.kind.numa; }

# Read both counts. Return true if the count of the kernel did not change meanwhile. Entries
# that were marked earlier still fault after balancing was disabled, also in the programs
# that read the counts.
counts_are_stable() {
	a=$(kernel_count)
	n=$(flt_count)
	[ "$(kernel_count)" = "$a" ]
}

echo 0 >/proc/sys/kernel/numa_balancing
load
until_true counts_are_stable || bad "earlier hint faults do not stop"
start=$a before=${n:-0}
echo 1 >/proc/sys/kernel/numa_balancing
# Write 4096 pages repeatedly. Move the process to the CPU of the other node and back.
tree rewrite 4096 600 &
pid=$!
sleep 1
taskset -p -c 0 "$pid" >/dev/null
sleep 2
taskset -p -c 1 "$pid" >/dev/null
# Wait until the scanner has visited the process.
has_hint_faults() { [ $(($(kernel_count) - start)) -ge 100 ]; }
until_true has_hint_faults || true
kill "$pid"
wait "$pid" || true
echo 0 >/proc/sys/kernel/numa_balancing
sleep 1
until_true counts_are_stable || bad "hint faults do not stop"
at_least "hint faults" $((a - start)) 100
same "faults of kind numa" $((n - before)) $((a - start))

# Rules of expect count them, too: one rule is kept, the other one broken.
echo 1 >/proc/sys/kernel/numa_balancing
status=0
# shellcheck disable=SC2016 # expanded by the inner shell
"$FLTCTL" expect --json -o "$tmp/rows" -e 'numa(process=tree) >= 50' \
	-e 'numa(process=tree) < 50' -- sh -c '
	count() { awk "/^numa_hint_faults / { print \$2 }" /proc/vmstat; }
	start=$(count)
	tree rewrite 4096 600 &
	until [ $(($(count) - start)) -ge 150 ]; do sleep 0.1; done
	kill $!
	wait
	exit 0' >"$tmp/out" 2>&1 || status=$?
same "rules of numa: exit status" $status 6
same "rules of numa: verdicts: $(tail -n 3 "$tmp/out")" \
	"$(jq -r 'select(.record == "rule").verdict' "$tmp/rows" | paste -sd' ')" "broken kept"
echo 0 >/proc/sys/kernel/numa_balancing
unload
equal_with_balancing() {
	load
	equal "threads during NUMA balancing" tree threads 8 64
}
echo 1 >/proc/sys/kernel/numa_balancing
equal_with_balancing
finish
