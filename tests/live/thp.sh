#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 cpus=2 mem=1024 timeout=300 turns=6.1,6.12,7.3
# shellcheck disable=SC2016,SC2119
# Promise: every event of huge pages (fill, fallback, split, collapse) is counted exactly, for
# the machine and for the affected process, and for no other process.
#
# The counts for the machine are compared with /proc/vmstat over the same time. The number of
# huge pages of each program is an argument, so the expected process rows are known.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

thp=/sys/kernel/mm/transparent_hugepage
if ! has_thp; then
	load
	status=0
	"$FLTCTL" thp 100ms 1 >"$tmp/out" 2>"$tmp/err" || status=$?
	same "no huge pages: exit status" $status 5
	same "no huge pages: message" "$(lines 'this kernel has no transparent huge pages' "$tmp/err")" 1
	"$FLTCTL" check >"$tmp/out"
	same "no huge pages: check" \
		"$(lines "^warn *hook thp-fill .*'fltctl thp' cannot count huge" "$tmp/out")" 1
	[ ! -r "/lib/modules/$(uname -r)/config" ] || same "no huge pages: configuration" \
		"$(lines '^warn *config .*CONFIG_TRANSPARENT_HUGEPAGE is not set' "$tmp/out")" 1
	unload
	[ "$failures" = 0 ] || finish
	skip "no transparent huge pages"
fi
[ "$huge_page" -le $((32 << 20)) ] ||
	skip "huge pages of $((huge_page >> 20)) MiB are too large for this guest"
# Huge pages of a program and of a program that gets only some of them; memory limit of a cgroup.
n=$(few_huge 16 4) many=$(few_huge 64 16) limit=$(($(few_huge 8 2) * huge_page))
# Only regions with MADV_HUGEPAGE get huge pages. khugepaged sleeps until the test enables it.
echo madvise >$thp/enabled
echo madvise >$thp/defrag
echo 1 >$thp/use_zero_page
echo 3600000 >$thp/khugepaged/scan_sleep_millisecs
# Hooks of this module, and those that 5.10 lacks: scans of files have no tracepoint, and
# collapse_file() is inline. Then the counts of scans and of tried collapses are unknown.
hooks=13 lacking=0
! kernel_before 5.11 || lacking=2
# Value of SCAN_ALLOC_HUGE_PAGE_FAIL in this kernel.
no_alloc=$(grep -o '{[0-9]*, "alloc_huge_page_failed"}' \
	/sys/kernel/tracing/events/huge_memory/mm_khugepaged_scan_pmd/format | tr -dc 0-9)

# Take a snapshot of the counters of the module and of the kernel. Nothing changes in between.
snapshot() {
	fltq thp >"$tmp/thp"
	cp /proc/vmstat "$tmp/vmstat"
}
# Print the sum of KEY in the matching rows of the last snapshot. Whose: 1 process, 2 machine,
# 3 nobody. A counter that is 0 is absent.
value() { # WHOSE KEY
	awk -v whose="$1" -v key="$2" 'index($0 " ", whose " ") {
		for (i = 1; i <= NF; i++) if (split($i, a, "=") == 2 && a[1] == key) n += a[2]
	} END { print NR ? n + 0 : "no_input" }' "$tmp/thp"
}
machine() { snapshot; value whose=2 "$1"; }
row() { snapshot; value "whose=1 tgid=$1" "$2"; }

# Print each event of the kernel and the module's count minus the kernel's count. The difference
# stays constant if both count the same events.
differences() {
	awk -v no_alloc="scan.$no_alloc" -v lacking="$lacking" '
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
		if (lacking)
			exit
		print "thp_collapse_alloc",
			n["collapse_tried"] - n[no_alloc] - vm["thp_collapse_alloc"]
		print "thp_collapse_alloc_failed", n[no_alloc] - vm["thp_collapse_alloc_failed"]
	}' "$tmp/vmstat" "$tmp/thp"
}
save_differences() { snapshot; differences >"$tmp/before"; }

# Check that the differences are those of save_differences.
compare_differences() { # NAME
	snapshot
	differences >"$tmp/after"
	same "$1: events" "$(wc -l <"$tmp/after")" $((7 - lacking))
	checks=$((checks + 7 - lacking))
	diff "$tmp/before" "$tmp/after" || bad "$1: counts differ from /proc/vmstat"
	say "$1"
}

# Run a program that does STEPS, and check the fields of its row. N is a number, or the name of a
# counter in /proc/vmstat, which must have grown as much and at least by one.
program() { # NAME "STEPS" FIELD=N...
	local name=$1 steps=$2 pid word want
	shift 2
	cp /proc/vmstat "$tmp/vmstat.was"
	# shellcheck disable=SC2086 # words
	huge $steps </dev/null >/dev/null &
	pid=$!
	wait $pid || bad "$name: status $?"
	compare_differences "$name"
	for word; do
		want=${word#*=}
		if [[ $want == thp_* ]]; then
			want=$(awk -v key="$want" '$1 == key { n = $2 - n } END { print n + 0 }' \
				"$tmp/vmstat.was" "$tmp/vmstat")
			at_least "$name: ${word#*=}" "$want" 1
		fi
		same "$name: ${word%=*}" "$(value "whose=1 tgid=$pid" "${word%=*}")" "$want"
	done
}

# Open a session that counts events of huge pages. Closing file descriptor 7 ends it.
open_session() {
	rm -f "$tmp/hold" "$tmp/session"
	mkfifo "$tmp/hold"
	fltq hold -t <"$tmp/hold" >"$tmp/session" 2>&1 &
	holder=$!
	exec 7>"$tmp/hold"
	until_true grep -q '^session' "$tmp/session" || bad "no session: $(cat "$tmp/session")"
}

load
# Without a session no hook is armed and nothing is counted.
huge map=4 allow write
same "armed hooks before the first session" \
	"$(lines '^(thp|split|collapse).* armed ' $debugfs/hooks)" 0
same "filled before the first session" "$(machine filled)" 0
open_session
same "absent hooks" "$(lines '^(thp|split|collapse).* absent ' $debugfs/hooks)" $lacking
save_differences
# A process that may use huge pages and stays idle during all steps.
mkfifo "$tmp/idle"
huge map="$n" allow gate <"$tmp/idle" >"$tmp/idle.out" &
idle=$!
exec 8>"$tmp/idle"
until_true grep -q gate "$tmp/idle.out"

program "write" "map=$n allow write" filled="$n" zero=0 no_page=0 map_split=0
program "read" "map=$n allow read" filled=0 zero="$n"
if kernel_before 6.13; then
	program "write after read" "map=$n allow read last" \
		filled=0 zero="$n" map_split="$n" map_split.1="$n"
else
	program "write after read" "map=$n allow read last" \
		filled="$n" zero="$n" late=0 map_split=0
fi
program "MADV_DONTNEED of one page" "map=$n allow write punch" \
	filled="$n" map_split="$n" map_split.4="$n" page_split=0
# The kernel does not split a huge page that another CPU holds at this moment.
program "MADV_FREE of one page" "map=$n allow write free" filled="$n" \
	map_split=thp_split_pmd page_split=thp_split_page page_split.4=thp_split_page
program "mprotect of one page" "map=$n allow write protect" \
	filled="$n" map_split="$n" map_split.3="$n"
program "copy on write" "map=$n allow write fork last" filled="$n"
kernel_before 6.1 || program "MADV_COLLAPSE" "map=$n fill allow collapse" \
	filled=0 collapsed_call="$n" collapsed=0
program "MADV_NOHUGEPAGE" "map=$n write" filled=0 no_page=0 zero=0

# khugepaged collapses the pages of a waiting process.
mkfifo "$tmp/old"
huge map="$n" fill allow gate <"$tmp/old" >"$tmp/old.out" &
old=$!
exec 9>"$tmp/old"
until_true grep -q gate "$tmp/old.out"
echo 65536 >$thp/khugepaged/pages_to_scan
echo 10 >$thp/khugepaged/scan_sleep_millisecs
collapsed() { [ "$(row $old collapsed)" = "$n" ]; }
until_true collapsed || bad "khugepaged collapsed $(row $old collapsed) of $n"
echo 3600000 >$thp/khugepaged/scan_sleep_millisecs
same "khugepaged: collapsed_call" "$(row $old collapsed_call)" 0
[ $lacking != 0 ] || at_least "khugepaged: scan" "$(row $old scan)" "$n"
compare_differences "khugepaged"
echo >&9
exec 9>&-
wait $old

# A cgroup at its memory limit.
mkdir /sys/fs/cgroup/tight
echo $limit >/sys/fs/cgroup/tight/memory.max
bash -c 'echo $$ >/sys/fs/cgroup/tight/cgroup.procs; exec huge map="$0" allow write' \
	$((many / 2)) &
tight=$!
wait $tight || bad "cgroup limit: status $?"
at_least "cgroup limit: no_charge" "$(row $tight no_charge)" $((many / 4))
same "cgroup limit: filled + no_charge" \
	"$(($(row $tight filled) + $(row $tight no_charge)))" $((many / 2))
compare_differences "cgroup limit"
# On all CPUs at once. No other process gets the reason of these fallbacks. Each process has a
# cgroup of its own, because a crowd in a single small one may run out of memory.
crowd=()
for i in 1 2 3 4; do
	mkdir "/sys/fs/cgroup/tight$i"
	echo $limit >"/sys/fs/cgroup/tight$i/memory.max"
	# shellcheck disable=SC2016 # expanded by the inner shell
	bash -c 'echo $$ >"/sys/fs/cgroup/tight$0/cgroup.procs"; exec huge map="$1" allow write' \
		"$i" "$many" &
	crowd+=($!)
done
outside=$(few_huge 64 4)
huge map="$outside" allow write &
free=$!
wait "${crowd[@]}" $free || bad "cgroup limit, processes at once: status $?"
for pid in "${crowd[@]}"; do
	same "cgroup limit, processes at once: no_page" "$(row "$pid" no_page)" 0
	same "cgroup limit, processes at once: filled + no_charge" \
		"$(($(row "$pid" filled) + $(row "$pid" no_charge)))" "$many"
done
same "cgroup limit, process outside: filled" "$(row $free filled)" "$outside"
compare_differences "cgroup limit, processes at once"

# Fragmented memory without compaction.
echo never >$thp/defrag
free=$(awk '$1 == "MemFree:" { print int($2 / 1024) }' /proc/meminfo)
# Otherwise compaction would have time to merge the free pages on a slow machine.
echo 0 >/proc/sys/vm/compact_unevictable_allowed
echo 0 >/proc/sys/vm/compaction_proactiveness
mkfifo "$tmp/fragments"
huge crumble=$((free - 64)) gate <"$tmp/fragments" >"$tmp/fragments.out" &
fragments=$!
exec 9>"$tmp/fragments"
until_true grep -q gate "$tmp/fragments.out" || bad "memory could not be fragmented"
# The number of huge pages that are still free varies. Take as many more faults.
faults=$(($(few_huge 96 16) + $(awk -v page="$page" -v huge="$huge_page" '{
	for (i = 5; i <= NF; i++) {
		size = page * 2 ^ (i - 5)
		if (size >= huge)
			n += $i * size / huge
	}
} END { print n + 0 }' /proc/buddyinfo)))
huge map=$faults allow write &
pid=$!
wait $pid || bad "fragmented memory: status $?"
at_least "fragmented memory: no_page" "$(row $pid no_page)" "$(few_huge 60 10)"
same "fragmented memory: filled + no_page" "$(($(row $pid filled) + $(row $pid no_page)))" $faults
compare_differences "fragmented memory"
exec 9>&-
wait $fragments
echo madvise >$thp/defrag

# The idle process has no counts.
snapshot
for key in filled zero no_page no_charge collapsed map_split page_split; do
	same "idle process: $key" "$(value "whose=1 tgid=$idle" $key)" 0
done
exec 8>&-
wait $idle

snapshot
# The rows of processes and of nobody add up to the machine's, because no row was retired.
for key in filled zero no_page no_charge unfit map_split page_split collapsed scan; do
	same "sum of the rows: $key" \
		$(($(value whose=1 $key) + $(value whose=3 $key))) "$(value whose=2 $key)"
done

# fltctl thp reports the same in JSON, text and CSV.
"$FLTCTL" thp --json -- huge map="$n" allow write free >"$tmp/json"
query() { jq -s "$1" "$tmp/json"; }
same "fltctl: huge" "$(query 'map(select(.record == "process").huge) | add')" "$n"
same "fltctl: pages split" \
	"$(query 'map(select(.event == "page split by" and .reason == "madvise").count) | add')" \
	"$n"
same "fltctl: verdict" "$(jq -r 'select(.record == "verdict").reason' "$tmp/json")" broken
"$FLTCTL" thp -- huge map=4 allow write >"$tmp/text"
same "fltctl: huge in text" "$(awk '$2 == "huge" { print $3 }' "$tmp/text")" 4
same "fltctl: verdicts in text" "$(grep -c '^verdict: ' "$tmp/text")" 1
"$FLTCTL" thp --csv 100ms 2 >"$tmp/csv"
same "fltctl: headings in CSV" "$(grep -c '^record,span,' "$tmp/csv")" 1

# The target of -p has a row even without events, and its huge memory is reported.
mkfifo "$tmp/calm"
huge map="$n" allow write gate <"$tmp/calm" >"$tmp/calm.out" &
calm=$!
exec 9>"$tmp/calm"
until_true grep -q gate "$tmp/calm.out"
"$FLTCTL" thp --json -p "$calm" 300ms 2 >"$tmp/json"
same "-p with an idle process: rows" "$(query 'map(select(.record == "process")) | length')" 3
same "-p with an idle process: huge" "$(query 'map(select(.record == "process"))[-1].huge')" 0
same "-p with an idle process: huge_bytes" \
	"$(query 'map(select(.record == "process"))[-1].huge_bytes')" $((n * huge_page))
same "-p with an idle process: covered_percent is 100" \
	"$(query 'map(select(.record == "process"))[-1].covered_percent == 100')" true
exec 9>&-
wait "$calm"

# The row of the machine also has the time of other faults, for comparison.
"$FLTCTL" thp --json -a -- huge map="$n" allow write >"$tmp/json"
at_least "-a: huge" "$(query 'map(select(.record == "machine"))[-1].huge')" "$n"
at_least "-a: small_ns" "$(query 'map(select(.record == "machine"))[-1].small_ns')" 1
at_least "-a: huge_p99_ns" "$(query 'map(select(.record == "machine"))[-1].huge_p99_ns')" \
	"$(query 'map(select(.record == "machine"))[-1].huge_ns / 4 | floor')"

# shmem allocates huge pages inside the file system. fltctl reports the kernel's count of them
# for the machine.
mkdir "$tmp/shmem"
files=$(few_huge 8 2)
mount -t tmpfs -o "huge=always,size=$((4 * files * huge_page))" none "$tmp/shmem"
allocated() { awk '$1 == "thp_file_alloc" { print $2 }' /proc/vmstat; }
before=$(allocated)
"$FLTCTL" thp --json -- dd if=/dev/zero of="$tmp/shmem/file" bs=$huge_page count="$files" \
	2>/dev/null >"$tmp/json"
same "shmem: thp_file_alloc" \
	"$(query 'map(select(.record == "vmstat" and
		.reason == "thp_file_alloc").value) | first')" "\"$(($(allocated) - before))\""
at_least "shmem: huge pages of a file" $(($(allocated) - before)) "$files"
umount "$tmp/shmem"

# --with compares events with the lines that the command prints.
"$FLTCTL" thp --json --with lines --plot "$tmp/with.svg" -- sh -c \
	'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do huge map=4 allow write; echo $i; sleep 0.2; done' \
	>"$tmp/out" 2>"$tmp/err" || bad "--with: status $?: $(cat "$tmp/err")"
grep '^{' "$tmp/out" >"$tmp/json"
same "--with: lines of the command" "$(grep -cx '[0-9]*' "$tmp/out")" 12
at_least "--with: samples with huge faults" "$(query 'map(select(.record == "sample" and
	.event == "huge faults" and .events_per_second > 0)) | length')" 4
same "--with: against" "$(query 'map(select(.record == "correlation").against) | join(" ")')" \
	'"faults/s latency huge faults"'
same "--with: the plot" \
	"$(grep -c 'huge faults/s' "$tmp/with.svg" | sed 's/^[1-9][0-9]*$/drawn/')" drawn

status=0
"$FLTCTL" thp -- sh -c 'exit 7' >/dev/null || status=$?
same "fltctl: exit status of the command" $status 7
status=0
"$FLTCTL" thp -a -p 1 2>/dev/null || status=$?
same "fltctl: exit status with -a and -p" $status 2

# The end of the session disarms the hooks. Counters keep their values.
total=$(machine filled)
exec 7>&-
wait "$holder"
# The module ends the sessions of a closed socket after close(), but before it answers.
same "sessions after their owner ended" "$(fltq info | field sessions)" 0
huge map=4 allow write
same "filled after the session" "$(machine filled)" "$total"
same "armed hooks after the session" "$(lines '^(thp|split|collapse).* armed ' $debugfs/hooks)" 0

# Arm the hooks again under load, and unload the module.
touch "$tmp/go"
steps=(map="$(few_huge 32 4)" allow write punch free fill collapse)
while [ -e "$tmp/go" ]; do huge "${steps[@]}"; done &
worker=$!
for i in 1 2 3 4; do
	open_session
	at_least "round $i: armed hooks" \
		"$(lines '^(thp|split|collapse).* armed ' $debugfs/hooks)" $((hooks - lacking))
	counted() { [ "$(machine filled)" != "$total" ]; }
	until_true counted || bad "round $i: filled stays at $total"
	if [ "$i" = 4 ]; then
		# An open session does not prevent unloading.
		unload
		checks=$((checks + 1))
		! loaded || bad "the module is still loaded"
	fi
	exec 7>&-
	wait "$holder" || [ "$i" = 4 ] || bad "round $i: the session ended with an error"
	[ "$i" = 4 ] || { unload; load; total=0; }
done
rm "$tmp/go"
wait $worker || true
finish
