#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: mem=1536 disk=256 zram=1 cpus=2 numa=1 timeout=200
# shellcheck disable=SC2119
# Promise: a fault on a page that another thread has mapped meanwhile is of kind spurious.
# A fault that waits for a page under migration is of kind migration.
#
# The outcome of a race is not known in advance, so the expected counts come from the kernel:
# for spurious faults, getrusage() counts more faults than pages; for migration, a kprobe
# counts the calls of migration_entry_wait().
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
echo 0 >/proc/sys/kernel/numa_balancing

around() { # COMMAND...
	local rc=0
	fltq around -o "$tmp/sections" -- "$@" >"$tmp/out" 2>&1 || rc=$?
	minor=$(awk '$1 == "section" { split($3, a, "="); print a[2] }' "$tmp/out")
	cat "$tmp/out"
	return $rc
}
kind() { field "kind.$1" <"$tmp/sections"; }
hits() { awk '$1 == "flt_wait" { print $2 }' $tracing/kprobe_profile; }

load
around race late 200 || bad "race late: $?"
late=$(kind spurious)
say "late: $minor faults for 200 pages, $(kind anon) anon, $late spurious"
at_least "late writers" "$late" 20
# The module decides the kind before the kernel handles the fault. If the page is mapped in
# between, the fault counts as anon. Therefore up to 20 more than one per page are accepted.
same "spurious and anon" $((late + $(kind anon))) "$minor"
at_least "anon" "$(kind anon)" 200
at_most "anon" "$(kind anon)" 220

# Check that rules of expect count faults of a kind: one rule is kept, the other one broken.
ruled() { # KIND LEAST COMMAND...
	local status=0
	"$FLTCTL" expect --json -o "$tmp/rows" -e "$1 >= $2" -e "$1 < $2" -- "${@:3}" \
		>"$tmp/out" 2>&1 || status=$?
	same "rules of $1: exit status" $status 6
	same "rules of $1: verdicts: $(tail -n 3 "$tmp/out")" \
		"$(jq -r 'select(.record == "rule").verdict' "$tmp/rows" | paste -sd' ')" "broken kept"
}
ruled spurious 20 race late 200

echo 'p:flt_wait migration_entry_wait' >$tracing/kprobe_events
echo 1 >$tracing/events/kprobes/flt_wait/enable
before=$(hits)
rc=0
around race moved 100 || rc=$?
same "race moved" $rc 0
waited=$(($(hits) - before)) faults=$minor
migration=$(kind migration) spurious=$(kind spurious) anon=$(kind anon) cow=$(kind cow)
echo 0 >$tracing/events/kprobes/flt_wait/enable
echo >$tracing/kprobe_events
# Migration clears the page table entry before it installs the migration entry. A fault in
# between counts as anon. The process has children, so a few of its writes copy a page.
at_least "waits" "$waited" 20
at_least "migration" "$migration" $((waited * 9 / 10))
at_most "migration" "$migration" $((waited * 11 / 10 + 2))
same "migration, spurious, anon and cow" $((migration + spurious + anon + cow)) "$faults"
say "moved: $faults faults, $waited waits; $migration migration, $spurious spurious," \
	"$anon anon, $cow cow"
ruled migration 20 race moved 100
finish
