#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 mem=1024 timeout=300
# shellcheck disable=SC2016,SC2119
# Promise: what becomes of huge pages is counted to the unit, for the machine and for
# the process that it concerns, and for no other.
#
# The oracle is /proc/vmstat, machine-wide, over the same time; and the programs here
# are told how many huge pages to take, so their rows are known beforehand.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

thp=/sys/kernel/mm/transparent_hugepage
[ -d $thp ] || skip "no transparent huge pages"
# Only who asks for huge pages gets them, and khugepaged sleeps until it is called.
echo madvise >$thp/enabled
echo madvise >$thp/defrag
echo 1 >$thp/use_zero_page
echo 3600000 >$thp/khugepaged/scan_sleep_millisecs
# Number of SCAN_ALLOC_HUGE_PAGE_FAIL, from the kernel itself.
no_alloc=$(grep -o '{[0-9]*, "alloc_huge_page_failed"}' \
	/sys/kernel/tracing/events/huge_memory/mm_khugepaged_scan_pmd/format | tr -dc 0-9)

# Both sides at one moment; nobody does anything while they are read.
look() {
	fltq thp >"$tmp/thp"
	cp /proc/vmstat "$tmp/vmstat"
}
# A counter of ours in the last look: WHOSE=2 is the machine's; what is 0 is absent.
value() { # WHOSE KEY
	awk -v whose="$1" -v key="$2" 'index($0 " ", whose " ") {
		for (i = 1; i <= NF; i++) if (split($i, a, "=") == 2 && a[1] == key) n += a[2]
	} END { print NR ? n + 0 : "no_input" }' "$tmp/thp"
}
machine() { look; value whose=2 "$1"; }
row() { look; value "whose=1 tgid=$1" "$2"; }

# Each event of the kernel's, and ours less it: alike as long as both grow alike.
ledger() {
	awk -v no_alloc="scan.$no_alloc" '
	FILENAME ~ /vmstat$/ { vm[$1] = $2; next }
	/whose=2/ { ours++; for (i = 2; i <= NF; i++) { split($i, a, "="); n[a[1]] = a[2] } }
	END {
		if (!ours || !("thp_fault_alloc" in vm))
			exit
		print "thp_fault_alloc", n["filled"] - vm["thp_fault_alloc"]
		print "thp_fault_fallback", n["no_page"] + n["no_charge"] - vm["thp_fault_fallback"]
		print "thp_fault_fallback_charge", n["no_charge"] - vm["thp_fault_fallback_charge"]
		print "thp_split_pmd", n["map_split"] - vm["thp_split_pmd"]
		print "thp_split_page", n["page_split"] - vm["thp_split_page"]
		print "thp_collapse_alloc", n["collapse_tried"] - n[no_alloc] - vm["thp_collapse_alloc"]
		print "thp_collapse_alloc_failed", n[no_alloc] - vm["thp_collapse_alloc_failed"]
	}' "$tmp/vmstat" "$tmp/thp"
}
remember() { look; ledger >"$tmp/before"; }

# Since then both have grown alike.
agree() { # NAME
	look
	ledger >"$tmp/after"
	same "$1: events" "$(wc -l <"$tmp/after")" 7
	checks=$((checks + 7))
	diff "$tmp/before" "$tmp/after" || bad "$1: not as in /proc/vmstat"
	say "$1"
}

# program NAME "STEPS" FIELD=N...: a program that does STEPS has these in its row.
program() {
	local name=$1 steps=$2 pid word
	shift 2
	# shellcheck disable=SC2086 # words
	huge $steps </dev/null >/dev/null &
	pid=$!
	wait $pid || bad "$name: status $?"
	agree "$name"
	for word; do
		same "$name: ${word%=*}" "$(value "whose=1 tgid=$pid" "${word%=*}")" "${word#*=}"
	done
}

# A session that wants it; the session ends with 7, as in closing the file.
hold() {
	rm -f "$tmp/hold" "$tmp/session"
	mkfifo "$tmp/hold"
	fltq hold -t <"$tmp/hold" >"$tmp/session" 2>&1 &
	holder=$!
	exec 7>"$tmp/hold"
	until_true grep -q '^session' "$tmp/session" || bad "no session: $(cat "$tmp/session")"
}

load
# Unasked, nothing is armed and nothing counted.
huge map=4 allow write
same "armed without a session" "$(lines '^(thp|split|collapse).* armed ' $debugfs/hooks)" 0
same "counted without a session" "$(machine filled)" 0
hold
same "hooks that this kernel lacks" "$(lines '^(thp|split|collapse).* absent ' $debugfs/hooks)" 0
remember
# Beside all of them stands one that could, and does nothing.
mkfifo "$tmp/idle"
huge map=16 allow gate <"$tmp/idle" >"$tmp/idle.out" &
idle=$!
exec 8>"$tmp/idle"
until_true grep -q gate "$tmp/idle.out"

program "write" "map=16 allow write" filled=16 zero=0 no_page=0 map_split=0
program "read" "map=16 allow read" filled=0 zero=16
program "write after read" "map=16 allow read last" filled=0 zero=16 map_split=16 map_split.1=16
program "a part unmapped" "map=16 allow write punch" filled=16 map_split=16 map_split.4=16 page_split=0
program "a part freed" "map=16 allow write free" filled=16 map_split=16 page_split=16 page_split.4=16
program "a part protected" "map=16 allow write protect" filled=16 map_split=16 map_split.3=16
program "copied on write" "map=16 allow write fork last" filled=16
program "collapsed by call" "map=16 fill allow collapse" filled=0 collapsed_call=16 collapsed=0
program "forbidden" "map=16 write" filled=0 no_page=0 zero=0

# khugepaged, for a process that itself does nothing any more.
mkfifo "$tmp/old"
huge map=16 fill allow gate <"$tmp/old" >"$tmp/old.out" &
old=$!
exec 9>"$tmp/old"
until_true grep -q gate "$tmp/old.out"
echo 65536 >$thp/khugepaged/pages_to_scan
echo 10 >$thp/khugepaged/scan_sleep_millisecs
collapsed() { [ "$(row $old collapsed)" = 16 ]; }
until_true collapsed || bad "khugepaged collapsed $(row $old collapsed) of 16"
echo 3600000 >$thp/khugepaged/scan_sleep_millisecs
same "khugepaged: by a call" "$(row $old collapsed_call)" 0
at_least "khugepaged: scans of what it had collapsed already, or not yet" "$(row $old scan)" 16
agree "khugepaged"
echo >&9
exec 9>&-
wait $old

# A cgroup at its limit.
mkdir /sys/fs/cgroup/tight
echo 16M >/sys/fs/cgroup/tight/memory.max
bash -c 'echo $$ >/sys/fs/cgroup/tight/cgroup.procs; exec huge map=32 allow write' &
tight=$!
wait $tight || bad "tight: status $?"
at_least "over the limit: no_charge" "$(row $tight no_charge)" 16
same "over the limit: filled or not" "$(($(row $tight filled) + $(row $tight no_charge)))" 32
agree "over the limit"

# No free memory but in small pieces, and no compaction for it.
echo never >$thp/defrag
free=$(awk '$1 == "MemFree:" { print int($2 / 1024) }' /proc/meminfo)
# Or compaction, which has all the time of a slow machine, puts the crumbs together.
echo 0 >/proc/sys/vm/compact_unevictable_allowed
echo 0 >/proc/sys/vm/compaction_proactiveness
mkfifo "$tmp/crumbs"
huge crumble=$((free - 64)) gate <"$tmp/crumbs" >"$tmp/crumbs.out" &
crumbs=$!
exec 9>"$tmp/crumbs"
until_true grep -q gate "$tmp/crumbs.out" || bad "memory could not be crumbled"
# How much is whole all the same differs; so many more faults are made.
faults=$((96 + $(awk '{ n += $14 + 2 * $15 } END { print n }' /proc/buddyinfo)))
huge map=$faults allow write &
pid=$!
wait $pid || bad "crumbled: status $?"
at_least "crumbled: no_page" "$(row $pid no_page)" 60
same "crumbled: filled or not" "$(($(row $pid filled) + $(row $pid no_page)))" $faults
agree "crumbled"
exec 9>&-
wait $crumbs
echo madvise >$thp/defrag

# Who stood beside has no line.
look
for key in filled zero no_page no_charge collapsed map_split page_split; do
	same "the idle one: $key" "$(value "whose=1 tgid=$idle" $key)" 0
done
exec 8>&-
wait $idle

look
# The sum of the rows and nobody's is the machine's: no row was retired here.
for key in filled zero no_page no_charge unfit map_split page_split collapsed scan; do
	same "sum of the rows: $key" $(($(value whose=1 $key) + $(value whose=3 $key))) "$(value whose=2 $key)"
done

# The command says the same, in all its forms; and what it cannot do.
"$FLTCTL" thp --json -- huge map=16 allow write free >"$tmp/json"
said() { jq -s "$1" "$tmp/json"; }
same "fltctl: huge" "$(said 'map(select(.record == "process").huge) | add')" 16
same "fltctl: pages split" "$(said 'map(select(.event == "page split by" and .reason == "madvise").count) | add')" 16
same "fltctl: verdict" "$(jq -r 'select(.record == "verdict").reason' "$tmp/json")" broken
"$FLTCTL" thp -- huge map=4 allow write >"$tmp/text"
same "fltctl: text" "$(awk '$2 == "huge" { print $3 }' "$tmp/text")" 4
same "fltctl: verdicts" "$(grep -c '^verdict: ' "$tmp/text")" 1
"$FLTCTL" thp --csv 100ms 2 >"$tmp/csv"
same "fltctl: one heading" "$(grep -c '^record,span,' "$tmp/csv")" 1

# Nothing happens to it while we look: it has a row all the same, and memory that is huge.
mkfifo "$tmp/calm"
huge map=16 allow write gate <"$tmp/calm" >"$tmp/calm.out" &
calm=$!
exec 9>"$tmp/calm"
until_true grep -q gate "$tmp/calm.out"
"$FLTCTL" thp --json -p "$calm" 300ms 2 >"$tmp/json"
same "-p of who does nothing: rows" "$(said 'map(select(.record == "process")) | length')" 3
same "-p of who does nothing: huge" "$(said 'map(select(.record == "process"))[-1].huge')" 0
same "-p of who does nothing: mapped" "$(said 'map(select(.record == "process"))[-1].huge_bytes')" $((16 << 21))
same "-p of who does nothing: covered" "$(said 'map(select(.record == "process"))[-1].covered_percent')" 100
exec 9>&-
wait "$calm"

# The machine's has what other faults take, so that there is something to compare with.
"$FLTCTL" thp --json -a -- huge map=16 allow write >"$tmp/json"
at_least "-a: huge" "$(said 'map(select(.record == "machine"))[-1].huge')" 16
at_least "-a: other faults" "$(said 'map(select(.record == "machine"))[-1].small_ns')" 1
at_least "-a: p99" "$(said 'map(select(.record == "machine"))[-1].huge_p99_ns')" \
	"$(said 'map(select(.record == "machine"))[-1].huge_ns / 4 | floor')"

# Huge pages of shmem are made below the file system: the machine's, as the kernel counts them.
mkdir "$tmp/shmem"
mount -t tmpfs -o huge=always,size=64m none "$tmp/shmem"
allocated() { awk '$1 == "thp_file_alloc" { print $2 }' /proc/vmstat; }
before=$(allocated)
"$FLTCTL" thp --json -- dd if=/dev/zero of="$tmp/shmem/file" bs=2M count=8 2>/dev/null >"$tmp/json"
same "shmem" "$(said 'map(select(.record == "vmstat" and .reason == "thp_file_alloc").value) | first')" \
	"\"$(($(allocated) - before))\""
at_least "shmem: huge pages of a file of 16 MiB" $(($(allocated) - before)) 8
umount "$tmp/shmem"

# Beside what the command says of itself.
"$FLTCTL" thp --json --with lines --plot "$tmp/with.svg" -- \
	sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do huge map=4 allow write; echo $i; sleep 0.2; done' \
	>"$tmp/out" 2>"$tmp/err" || bad "--with: status $?: $(cat "$tmp/err")"
grep '^{' "$tmp/out" >"$tmp/json"
same "--with: what the command wrote" "$(grep -cx '[0-9]*' "$tmp/out")" 12
at_least "--with: samples that have huge faults" \
	"$(said 'map(select(.record == "sample" and .event == "huge faults" and .events_per_second > 0)) | length')" 4
same "--with: against" "$(said 'map(select(.record == "correlation").against) | join(" ")')" '"faults/s latency huge faults"'
same "--with: the plot" "$(grep -c 'huge faults/s' "$tmp/with.svg" | sed 's/^[1-9][0-9]*$/drawn/')" drawn

status=0
"$FLTCTL" thp -- sh -c 'exit 7' >/dev/null || status=$?
same "fltctl: the command's status" $status 7
status=0
"$FLTCTL" thp -a -p 1 2>/dev/null || status=$?
same "fltctl: -a and -p" $status 2

# Disarmed with the session; what was counted stays.
total=$(machine filled)
exec 7>&-
wait "$holder"
huge map=4 allow write
same "counted without a session" "$(machine filled)" "$total"
same "armed without a session" "$(lines '^(thp|split|collapse).* armed ' $debugfs/hooks)" 0

# Armed again, and unloaded under load.
touch "$tmp/go"
while [ -e "$tmp/go" ]; do huge map=32 allow write punch free fill collapse; done &
worker=$!
for i in 1 2 3 4; do
	hold
	at_least "round $i: armed" "$(lines '^(thp|split|collapse).* armed ' $debugfs/hooks)" 11
	counted() { [ "$(machine filled)" != "$total" ]; }
	until_true counted || bad "round $i: nothing counted"
	if [ "$i" = 4 ]; then
		# The session stays: it does not hold the module.
		unload
		checks=$((checks + 1))
		! loaded || bad "still loaded"
	fi
	exec 7>&-
	wait "$holder" || [ "$i" = 4 ] || bad "round $i: the session"
	[ "$i" = 4 ] || { unload; load; total=0; }
done
rm "$tmp/go"
wait $worker || true
finish
