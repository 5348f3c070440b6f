#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 numa=1 mem=1024 timeout=300 long=1
# shellcheck disable=SC2119
# Promise: what NUMA balancing does is counted to the unit: hint faults, local ones,
# pages moved; the matrix adds up; and each is charged to the process that it hit.
#
# The oracle is /proc/vmstat, machine-wide, over the same time.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# As it is at boot; another test of this machine's may have ended it.
echo 1 2>/dev/null >/proc/sys/kernel/numa_balancing || skip "no NUMA balancing"
for knob in scan_delay_ms scan_period_min_ms; do
	echo 100 >"/sys/kernel/debug/sched/numa_balancing/$knob"
done
echo never >/sys/kernel/mm/transparent_hugepage/enabled
misplaced=$(grep -o '{[0-9]*, "numa_misplaced"}' \
	/sys/kernel/tracing/events/migrate/mm_migrate_pages/format | tr -dc 0-9)

vm() { awk -v k="$1" '$1 == k { print $2 }' "${2:-/proc/vmstat}"; }
line() { # machine|PID [FILE]
	local all=${2:-}
	if [ -z "$all" ]; then
		all=$tmp/now
		fltq numa >"$all"
	fi
	if [ "$1" = machine ]; then grep 'whose=2' "$all"; else grep "whose=1 tgid=$1 " "$all" || true; fi
}
of() { line "$1" | field "$2"; }

# Both sides at one moment. Pages that were marked before still fault, also in the
# programs that look: only while the kernel's numbers held still will do.
events="numa_hint_faults numa_hint_faults_local numa_pages_migrated"
snapshot() {
	cat /proc/vmstat >"$tmp/vm"
	fltq numa >"$tmp/all"
	cat /proc/vmstat >"$tmp/vm.after"
	for e in $events; do
		[ "$(vm "$e" "$tmp/vm")" = "$(vm "$e" "$tmp/vm.after")" ] || return 1
	done
}

# Balancing off: nothing is marked any more, and what was marked is faulted by nobody but
# the walkers, which end. So the numbers hold still when they are compared.
rest() { echo 0 >/proc/sys/kernel/numa_balancing; }

agree() { # NAME; $tmp/all and vm against $tmp/all.before and vm.before
	local pair key event
	for pair in hints:numa_hint_faults local:numa_hint_faults_local \
		"moved.$misplaced:numa_pages_migrated"; do
		key=${pair%:*} event=${pair#*:}
		same "$1: $event" \
			$(($(line machine "$tmp/all" | field "$key") - $(line machine "$tmp/all.before" | field "$key"))) \
			$(($(vm "$event" "$tmp/vm") - $(vm "$event" "$tmp/vm.before")))
	done
	say "$1"
}

rest
# No row of a process that ended is to be retired, however long this takes.
load max_procs=32768
mkfifo "$tmp/hold"
fltq hold -n <"$tmp/hold" >"$tmp/session" 2>&1 &
holder=$!
exec 7>"$tmp/hold"
until_true grep -q '^session' "$tmp/session" || bad "no session: $(cat "$tmp/session")"
same "hooks that this kernel lacks" "$(lines '^numa.* absent ' $debugfs/hooks)" 0
until_true snapshot || bad "the hint faults of before never stop"
mv "$tmp/all" "$tmp/all.before"
mv "$tmp/vm" "$tmp/vm.before"
echo 1 >/proc/sys/kernel/numa_balancing

# 64 MiB written over and over, on one node's CPU and then on the other's.
taskset -c 0 tree rewrite 16384 100000 &
walker=$!
seen() { [ "$(of $walker hints)" -ge "$1" ] 2>/dev/null; }
until_true seen 1000 || true
taskset -p -c 1 $walker >/dev/null
moved() { [ "$(of $walker "moved.$misplaced")" -ge 1000 ] 2>/dev/null; }
until_true moved || true
rest
kill $walker
wait $walker || true
until_true snapshot || bad "the hint faults never stop"
agree "one walker"
at_least "hint faults" "$(of $walker hints)" 1000
at_least "pages moved" "$(of $walker "moved.$misplaced")" 1000
at_least "remote" "$(($(of $walker hints) - $(of $walker local)))" 1000

# Each line's matrix adds up to its hint faults, its diagonal to the local ones.
line machine "$tmp/all" >"$tmp/lines"
line $walker "$tmp/all" >>"$tmp/lines"
while read -r words; do
	m() { echo "$words" | field "matrix.$1.$2"; }
	h() { echo "$words" | field "$1"; }
	same "matrix: sum" $(($(m 0 0) + $(m 0 1) + $(m 1 0) + $(m 1 1))) "$(h hints)"
	same "matrix: diagonal" $(($(m 0 0) + $(m 1 1))) "$(h local)"
	same "latency: as many as were tried" "$(h octave)" "$(h tried)"
done <"$tmp/lines"
same "matrix: lines" "$(wc -l <"$tmp/lines")" 2
# It began on node 0 and was moved to node 1: that is where it faulted on the other's pages.
at_least "matrix: from node 1 on node 0" "$(line $walker | field matrix.1.0)" 1000

# The processes' lines and nobody's are the machine's: no row was retired here.
rows() { awk -v k="$1" '/whose=[13]/ {
	for (i = 1; i <= NF; i++) if (split($i, a, "=") == 2 && a[1] == k) n += a[2]
} END { print NR ? n + 0 : "no_input" }' "$tmp/all"; }
for key in hints local wanted tried failed moved not_moved task_moved; do
	same "sum of the rows: $key" "$(rows $key)" "$(line machine "$tmp/all" | field $key)"
done

# The command says so, too: as many from each node as the kernel counts, and nobody moved.
"$FLTCTL" numa --json -- tree rewrite 16 1 >"$tmp/json"
same "fltctl: verdict" "$(jq -r 'select(.record == "verdict").event' "$tmp/json")" idle
"$FLTCTL" numa 100ms 1 >"$tmp/text" 2>"$tmp/said"
same "fltctl: balancing is off" "$(grep -c 'balancing is off' "$tmp/said")" 1

# And while balancing is at work: of that process, in all its parts.
echo 1 >/proc/sys/kernel/numa_balancing
tree rewrite 16384 100000 &
walker=$!
rm -f "$tmp/json"
"$FLTCTL" numa --json -p $walker,$$ 500ms >"$tmp/json" & reader=$!
until_true test -s "$tmp/json" || bad "fltctl numa -p: no report"
at_work() { [ "$(row_of $walker pages_moved)" -gt 0 ] && [ "$(row_of $walker remote)" -gt 0 ]; }
row_of() { # PID FIELD: the sum over the intervals so far
	jq -s --argjson pid "$1" "map(select(.record == \"process\" and .span == \"interval\" and .pid == \$pid).$2 // 0) | add // 0" "$tmp/json" 2>/dev/null || echo 0
}
for ((i = 0; i < 60; i++)); do
	taskset -p -c $((i % 2)) $walker >/dev/null
	sleep 1
	! at_work || break
done
# It ends first: what is read while it grows need not add up.
kill $walker
wait $walker || true
kill -INT $reader
wait $reader || bad "fltctl numa -p: status $?"
echo 0 >/proc/sys/kernel/numa_balancing
total() { jq -s --argjson pid $walker "map(select(.span == \"total\" and .pid == \$pid and .record == \"$1\")) | $2" "$tmp/json"; }
at_least "fltctl -p: hint faults" "$(total process '.[0].hint_faults')" 1
same "fltctl -p: local and remote" "$(total process '.[0].local + .[0].remote')" "$(total process '.[0].hint_faults')"
same "fltctl -p: the matrix" "$(total matrix 'map(.count) | add')" "$(total process '.[0].hint_faults')"
at_least "fltctl -p: pages moved" "$(total process '.[0].pages_moved')" 1
at_least "fltctl -p: p99 of a move" "$(total process '.[0].move_p99_ns')" 1
at_least "fltctl -p: its memory" "$(total process '.[0].resident_bytes')" $((16384 * 4096))
at_least "fltctl -p: rows of who does nothing" \
	"$(jq -s --argjson pid $$ 'map(select(.record == "process" and .pid == $pid)) | length' "$tmp/json")" 2

exec 7>&-
wait "$holder"
same "armed without a session" "$(lines '^numa.* armed ' $debugfs/hooks)" 0

# Unloaded while armed and hit.
echo 1 >/proc/sys/kernel/numa_balancing
tree rewrite 16384 100000 &
walker=$!
rm "$tmp/session"
fltq hold -n <"$tmp/hold" >"$tmp/session" 2>&1 &
holder=$!
exec 7>"$tmp/hold"
until_true grep -q '^session' "$tmp/session" || bad "no session: $(cat "$tmp/session")"
for cpu in 0 1 0 1; do
	taskset -p -c $cpu $walker >/dev/null
	sleep 0.5
done
unload
checks=$((checks + 1))
! loaded || bad "still loaded"
exec 7>&-
wait "$holder" || true
kill $walker
wait $walker || true
finish
