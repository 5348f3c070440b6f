#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 cpus=2 numa=1 mem=1536 timeout=300 long=1
# shellcheck disable=SC2119
# Promise: the work of NUMA balancing is counted exactly: hint faults, local hint faults and
# moved pages. The sums of the matrix equal these counts. Each event is charged to the
# process that it affects.
#
# The oracle is /proc/vmstat over the same time.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# Enable NUMA balancing as at boot, because another test may have disabled it.
echo 1 2>/dev/null >/proc/sys/kernel/numa_balancing || skip "no NUMA balancing"
# The kernel doubles the period between scans while a process has no remote pages.
for knob in scan_delay_ms scan_period_min_ms scan_period_max_ms; do
	balancing_knob $knob 100
done
echo never >/sys/kernel/mm/transparent_hugepage/enabled
misplaced=$(grep -o '{[0-9]*, "numa_misplaced"}' \
	/sys/kernel/tracing/events/migrate/mm_migrate_pages/format | tr -dc 0-9)

# Until 5.12 a function of its own moves huge pages. There the module does not know the moves.
known_moves=1 balanced=moved.$misplaced
if grep -q ' migrate_misplaced_transhuge_page$' /proc/kallsyms; then
	known_moves='' balanced=hints # hint faults show that the kernel balances
fi

vmstat() { awk -v k="$1" '$1 == k { print $2 }' "${2:-/proc/vmstat}"; }
ledger_line() { # machine|PID [FILE]
	local all=${2:-}
	if [ -z "$all" ]; then
		all=$tmp/now
		fltq numa >"$all"
	fi
	if [ "$1" = machine ]; then
		grep 'whose=2' "$all"
	else
		grep "whose=1 tgid=$1 " "$all" || true
	fi
}
ledger() { ledger_line "$1" | field "$2"; }	# machine|PID FIELD

# Read both counts. Return true if the counts of the kernel did not change meanwhile. Pages
# that were marked earlier still fault after balancing was disabled, also in the programs that
# read the counts.
events="numa_hint_faults numa_hint_faults_local numa_pages_migrated"
snapshot() {
	cat /proc/vmstat >"$tmp/vm"
	fltq numa >"$tmp/all"
	cat /proc/vmstat >"$tmp/vm.after"
	for e in $events; do
		[ "$(vmstat "$e" "$tmp/vm")" = "$(vmstat "$e" "$tmp/vm.after")" ] || return 1
	done
}

# Disable balancing, so that the kernel marks no more pages. Only the workload faults on the
# marked pages, and it ends. Therefore the counts are stable when they are compared.
stop_balancing() { echo 0 >/proc/sys/kernel/numa_balancing; }

# Compare the growth from $tmp/all.before to $tmp/all with that from $tmp/vm.before to $tmp/vm.
compare_growth() { # NAME
	local pair key event
	for pair in hints:numa_hint_faults local:numa_hint_faults_local \
		${known_moves:+"moved.$misplaced:numa_pages_migrated"}; do
		key=${pair%:*} event=${pair#*:}
		same "$1: $event" \
			$(($(ledger_line machine "$tmp/all" | field "$key") - \
			$(ledger_line machine "$tmp/all.before" | field "$key"))) \
			$(($(vmstat "$event" "$tmp/vm") - $(vmstat "$event" "$tmp/vm.before")))
	done
	say "$1"
}

stop_balancing
# The table is large enough that no row of an ended process is retired.
load max_procs=32768
mkfifo "$tmp/hold"
fltq hold -n <"$tmp/hold" >"$tmp/session" 2>&1 &
holder=$!
exec 7>"$tmp/hold"
until_true grep -q '^session' "$tmp/session" || bad "no session: $(cat "$tmp/session")"
same "absent hooks of numa" "$(lines '^numa.* absent ' $debugfs/hooks)" $((known_moves ? 0 : 2))
until_true snapshot || bad "earlier hint faults do not stop"
mv "$tmp/all" "$tmp/all.before"
mv "$tmp/vm" "$tmp/vm.before"
echo 1 >/proc/sys/kernel/numa_balancing

# Write 64 MiB repeatedly, first on the CPU of node 0 and then on that of node 1. The kernel does
# not mark local pages of a process with one thread (change_pte_range()), so hint faults need
# pages on the other node.
start_walker() {
	taskset -c 0 tree rewrite 16384 100000 &
	walker=$!
	until_true is_resident || bad "the workload does not touch its memory"
}
# Before 6.2 a thread adds to RssAnon only in steps of 64 pages.
is_resident() { [ "$(faults_of $walker)" -ge 16384 ]; }
moved_pages() { ledger $walker "$balanced"; }
has_moved_pages() { [ "$(moved_pages)" -ge "$1" ] 2>/dev/null; }
start_walker
taskset -p -c 1 $walker >/dev/null
until_true has_moved_pages 1000 || bad "no moved pages on CPU 1"
stop_balancing
kill $walker
wait $walker || true
until_true snapshot || bad "hint faults do not stop"
compare_growth "one process"
at_least "hint faults of the process" "$(ledger $walker hints)" 1000
[ -z "$known_moves" ] ||
	at_least "moved pages of the process" "$(ledger $walker "moved.$misplaced")" 1000
at_least "remote hint faults of the process" \
	"$(($(ledger $walker hints) - $(ledger $walker local)))" 1000

# The process has small pages only, so each migration that succeeded moved one page.
[ -z "$known_moves" ] || same "successful migrations of the process, compared with moved pages" \
	"$(($(ledger_line $walker "$tmp/all" | field tried) - \
	$(ledger_line $walker "$tmp/all" | field failed)))" \
	"$(ledger_line $walker "$tmp/all" | field "moved.$misplaced")"

# The sum of each matrix equals the hint faults, and the sum of its diagonal the local ones.
ledger_line machine "$tmp/all" >"$tmp/lines"
ledger_line $walker "$tmp/all" >>"$tmp/lines"
while read -r words; do
	cell() { echo "$words" | field "matrix.$1.$2"; }
	value() { echo "$words" | field "$1"; }
	same "matrix: sum" $(($(cell 0 0) + $(cell 0 1) + $(cell 1 0) + $(cell 1 1))) \
		"$(value hints)"
	same "matrix: sum of the diagonal" $(($(cell 0 0) + $(cell 1 1))) "$(value local)"
	[ -z "$known_moves" ] || same "latencies of migrations, compared with attempts" "$(value octave)" "$(value tried)"
done <"$tmp/lines"
same "matrix: number of lines" "$(wc -l <"$tmp/lines")" 2
# The process started on node 0 and was moved to node 1, where it faulted on pages of node 0.
at_least "matrix: faults from node 1 on node 0" \
	"$(ledger_line $walker | field matrix.1.0)" 1000

# The lines of all processes and of no process add up to the machine, because no row was retired.
sum_of_rows() { awk -v k="$1" '/whose=[13]/ {
	for (i = 1; i <= NF; i++) if (split($i, a, "=") == 2 && a[1] == k) n += a[2]
} END { print NR ? n + 0 : "no_input" }' "$tmp/all"; }
for key in hints local wanted tried failed moved not_moved task_moved; do
	same "sum of the rows: $key" "$(sum_of_rows $key)" \
		"$(ledger_line machine "$tmp/all" | field $key)"
done

# While balancing is disabled, fltctl numa reports no activity.
"$FLTCTL" numa --json -- tree rewrite 16 1 >"$tmp/json"
same "fltctl numa: verdict" "$(jq -r 'select(.record == "verdict").event' "$tmp/json")" \
	"$([ -n "$known_moves" ] && echo idle || echo unknown)"
"$FLTCTL" numa 100ms 1 >"$tmp/text" 2>"$tmp/err"
same "fltctl numa: lines with 'balancing is off'" "$(grep -c 'balancing is off' "$tmp/err")" 1

# While balancing is active, fltctl numa -p reports the process completely.
echo 1 >/proc/sys/kernel/numa_balancing
tree rewrite 16384 100000 &
walker=$!
rm -f "$tmp/json"
"$FLTCTL" numa --json -p $walker,$$ 500ms >"$tmp/json" & reader=$!
until_true test -s "$tmp/json" || bad "fltctl numa -p: no report"
was_balanced() {
	[ -z "$known_moves" ] || [ "$(sum_of $walker pages_moved)" -gt 0 ] &&
		[ "$(sum_of $walker remote)" -gt 0 ]
}
sum_of() { # PID FIELD: print the sum over the intervals so far
	jq -s --argjson pid "$1" "map(select(.record == \"process\" and
		.span == \"interval\" and .pid == \$pid).$2 // 0) | add // 0" \
		"$tmp/json" 2>/dev/null || echo 0
}
# Move the process to the other CPU after each interval, until an interval had both.
cpu=0
has_lines() { [ "$(wc -l <"$tmp/json")" -gt "$1" ]; }
move_and_look() {
	cpu=$((1 - cpu))
	taskset -p -c $cpu $walker >/dev/null
	until_true has_lines "$(wc -l <"$tmp/json")" && was_balanced
}
until_true move_and_look || bad "fltctl numa -p: no remote faults or no moved pages"
# End the process first, because counts that change while they are read need not add up.
kill $walker
wait $walker || true
kill -INT $reader
wait $reader || bad "fltctl numa -p: got exit status $?, expected 0"
echo 0 >/proc/sys/kernel/numa_balancing
total() { # RECORD EXPRESSION: evaluate it over the totals of the process
	jq -s --argjson pid $walker "map(select(.span == \"total\" and .pid == \$pid and
		.record == \"$1\")) | $2" "$tmp/json"
}
at_least "fltctl numa -p: hint faults" "$(total process '.[0].hint_faults')" 1
same "fltctl numa -p: local + remote, compared with hint faults" \
	"$(total process '.[0].local + .[0].remote')" "$(total process '.[0].hint_faults')"
same "fltctl numa -p: sum of the matrix, compared with hint faults" \
	"$(total matrix 'map(.count) | add')" "$(total process '.[0].hint_faults')"
if [ -n "$known_moves" ]; then
	at_least "fltctl numa -p: moved pages" "$(total process '.[0].pages_moved')" 1
	at_least "fltctl numa -p: p99 of the time of a migration" \
		"$(total process '.[0].move_p99_ns')" 1
else
	same "fltctl numa -p: moved pages are known" \
		"$(total process '.[0].pages_moved != null')" false
	same "fltctl numa: lines that name an absent hook" \
		"$("$FLTCTL" numa 100ms 1 2>&1 | grep -c "unknown: .*(hook 'numa-m")" 2
fi
at_least "fltctl numa -p: resident bytes" "$(total process '.[0].resident_bytes')" \
	$((16384 * 4096))
at_least "fltctl numa -p: rows of an idle process" \
	"$(jq -s --argjson pid $$ 'map(select(.record == "process" and .pid == $pid)) | length' \
		"$tmp/json")" 2

exec 7>&-
wait "$holder"
# The module ends the sessions of a closed socket after close(), but before it answers.
same "sessions after their owner ended" "$(fltq info | field sessions)" 0
same "hooks of numa armed without a session" "$(lines '^numa.* armed ' $debugfs/hooks)" 0

# Unload the module while its hooks are armed and hit.
echo 1 >/proc/sys/kernel/numa_balancing
# The workload starts before the FIFO is opened, because it would keep the FIFO open.
start_walker
rm "$tmp/session"
fltq hold -n <"$tmp/hold" >"$tmp/session" 2>&1 &
holder=$!
exec 7>"$tmp/hold"
until_true grep -q '^session' "$tmp/session" || bad "no session: $(cat "$tmp/session")"
moved=0
for cpu in 1 0 1 0; do
	taskset -p -c $cpu $walker >/dev/null
	until_true has_moved_pages $((moved + 1)) || bad "no moved pages on CPU $cpu"
	moved=$(moved_pages)
done
unload
checks=$((checks + 1))
! loaded || bad "the module is still loaded after rmmod"
exec 7>&-
wait "$holder" || true
kill $walker
wait $walker || true
finish
