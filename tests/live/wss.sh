#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=400 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: for a program with a known working set, scan and inject report it within 2 % or
# 16 pages. The RSS is exactly the kernel's. Injection causes one fault per used page and restores
# all pages. Nothing is left after a reader was killed.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"
# A program that writes to a page which the kernel is writing to the disk waits. The kernel begins
# this 30 s after the first write, in the middle of the windows on a slow machine.
writeback=$(cat /proc/sys/vm/dirty_writeback_centisecs)
echo 0 >/proc/sys/vm/dirty_writeback_centisecs

# Bytes of the pages that a program uses besides its working set: code, stack and variables.
slack=$((16 * page))
# A huge page has one accessed bit, so a program uses all of it.
huge_mib=$(few_huge 8 $((huge_page >> 20)))

start() { # WSET-ARGUMENTS...
	rm -f "$tmp/out"
	wset "$@" >"$tmp/out" 2>&1 &
	pid=$!
	until_true grep -q ready "$tmp/out" || bad "wset $*: $(cat "$tmp/out")"
}

stop() { # [PID...]
	kill "${@:-$pid}" 2>/dev/null || true
	wait "${@:-$pid}" 2>/dev/null || true
}

# Print the samples of a process: referenced rss window anon file shmem huge flags. The first
# sample is skipped, because it contains pages touched before the program was ready.
samples() { # PID [CSV]
	awk -F, -v pid="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] != "sample" || $at["pid"] != pid || !n++ { next }
		{
			print $at["referenced_bytes"] + 0, $at["rss_bytes"] + 0,
				$at["window_ns"] + 0, $at["anon_bytes"] + 0, $at["file_bytes"] + 0,
				$at["shmem_bytes"] + 0, $at["rss_huge_bytes"] + 0, $at["flags"]
		}' "${2:-$tmp/csv}"
}

# Check the four remaining samples of five windows. No sample may have more than the program
# touched. At least two must have all of it; a window has less if the program did not get the
# CPU for a whole round.
check_samples() { # WHAT PID MIB KIND-COLUMN HUGE-MIB
	checks=$((checks + 1))
	samples "$2" | awk -v what="$1" -v mib="$3" -v column="$4" -v huge="$5" -v least=$slack '
		function wrong(text) { printf "BAD: %s: %s\n", what, text; failed = 1 }
		BEGIN { want = mib * 1048576; slack = want / 50 > least ? want / 50 : least }
		{
			n++
			if ($1 > want + slack) wrong($1 " bytes referenced, should be " want)
			all += $1 >= want - slack
			if ($column < $1 - slack) wrong("pages of the wrong kind: " $0)
			if ($1 > $2) wrong("more referenced than resident bytes: " $0)
			# With fragmented memory the program may get small pages for a huge page.
			if ($7 > huge * 1048576 || $7 < huge * 1048576 - slack)
				wrong($7 " bytes of huge pages, should be " huge * 1048576)
		}
		END {
			if (n != 4) wrong(n + 1 " samples in five windows")
			if (all < 2) wrong(n - all " of " n " samples are below " want " bytes")
			exit failed
		}' || { failures=$((failures + 1)); samples "$2"; }
	say "$1: $(samples "$2" | awk '{ printf "%s ", $1 }')"
}

pids=() names=() mibs=() columns=() huges=()
# Start a program with a known working set of MIB, for compare_sets. HUGE-MIB: "file" for what
# the kernel says, because newer kernels map large folios of files by huge pages.
start_known() { # NAME MIB KIND-COLUMN HUGE-MIB WSET-ARGUMENTS...
	local huge=$4
	names+=("$1") mibs+=("$2") columns+=("$3")
	shift 4
	start "$@"
	pids+=("$pid")
	[ "$huge" != file ] ||
		huge=$(awk '/^FilePmdMapped:/ { print $2 / 1024 }' "/proc/$pid/smaps_rollup")
	huges+=("$huge")
}

# Compare the working sets of all started programs with their known sizes.
compare_sets() { # METHOD WINDOW
	local i list
	list=$(IFS=,; echo "${pids[*]}")
	"$FLTCTL" wss --csv -m "$1" -b 100 -p "$list" "$2" 5 >"$tmp/csv" 2>"$tmp/err" ||
		bad "$1: status $?, $(cat "$tmp/err")"
	for i in "${!pids[@]}"; do
		check_samples "$1, ${names[i]}" \
			"${pids[i]}" "${mibs[i]}" "${columns[i]}" "${huges[i]}"
	done
}

stop_known() {
	stop "${pids[@]}"
	pids=() names=() mibs=() columns=() huges=()
}

load
# Injection needs the page protection of NUMA balancing, which RT kernels do not have.
can_inject() { [ -e /proc/sys/kernel/numa_balancing ]; }
# Hint faults of NUMA balancing would disturb injection. On 6.1, smaps also omits huge pages
# that NUMA balancing has protected.
! can_inject || echo 0 >/proc/sys/kernel/numa_balancing
# khugepaged unmaps the pages that it merges. Newer kernels also merge pages of writable files.
! has_thp || echo 3600000 >/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs
start_known "2 of 64 MiB" 2 4 0 64 2
start_known "8 of 64 MiB" 8 4 0 64 8
! has_thp ||
	start_known "$huge_mib of 64 MiB, huge pages" "$huge_mib" 4 64 -H 64 "$huge_mib"
start_known "8 of 64 MiB, shared memory" 8 6 0 -s 64 8
start_known "8 of 64 MiB, file" 8 5 file -f "$tmp/disk/file" 64 8
start_known "64 of 80 MiB" 64 4 0 80 64
compare_sets scan 0.5
for i in "${!pids[@]}"; do
	same "${names[i]}: RSS" "$(samples "${pids[i]}" | awk 'END { print $2 }')" \
		"$(awk '/^Rss:/ { print $2 * 1024 }' "/proc/${pids[i]}/smaps_rollup")"
done
stop_known
if can_inject; then
	start_known "8 of 64 MiB" 8 4 0 64 8
	! has_thp ||
		start_known "$huge_mib of 64 MiB, huge pages" "$huge_mib" 4 64 -H 64 "$huge_mib"
	start_known "2 of 32 MiB, shared memory" 2 6 0 -s 32 2
	start_known "2 of 32 MiB, file" 2 5 file -f "$tmp/disk/file" 32 2
	compare_sets inject 0.7
	stop_known
fi
# A program touches one page of each folio. Contiguous entries of arm64 have one accessed bit, so
# there the whole folio counts. A hint fault restores the entries of the whole folio
# (numa_rebuild_large_mapping(), since 6.10).
if folios_on; then
	filled=$(folios_filled)
	few=$(few_huge 2 1) one_of=$((folio / page))
	all=$((few * one_of))
	contiguous=$few
	[ "$(uname -m)" != aarch64 ] || contiguous=$all
	start_known "8 of 64 MiB, folios" 8 4 0 -H 64 8
	start_known "$few of $all MiB, a page of each folio" "$contiguous" 4 0 -H -x $one_of $all "$few"
	compare_sets scan 0.5
	stop_known
	start_known "$few of $all MiB, a page of each folio" $all 4 0 -H -x $one_of $all "$few"
	! can_inject || compare_sets inject 0.7
	stop_known
	folios_off
	at_least "folios" $(($(folios_filled) - filled)) $(((64 + 2 * all) * 1048576 / folio))
fi
if [ -n "$LONG" ]; then
	start_known "64 of 80 MiB" 64 4 0 80 64
	! can_inject || compare_sets inject 5
	stop_known
	start_known "512 of 600 MiB" 512 4 0 600 512
	compare_sets scan 3
	! can_inject || compare_sets inject 10
	stop_known
	# Only whole huge pages are huge.
	! has_thp || start_known "512 of 600 MiB, huge pages" 512 4 \
		$(((600 << 20) / huge_page * huge_page >> 20)) -H 600 512
	compare_sets scan 3
	! can_inject || compare_sets inject 3
	stop_known
fi

# With many processes, every process gets the requested number of windows. The module still
# works on the last processes when the first have finished their window.
processes=()
for ((i = 0; i < 30; i++)); do
	sleep 1000 &
	processes+=("$!")
done
list=$(IFS=,; echo "${processes[*]}")
for ((i = 0; i < 10; i++)); do
	"$FLTCTL" wss --csv -b 100 -p "$list" 0.05 3 >"$tmp/csv" 2>"$tmp/err" ||
		bad "30 processes: $(cat "$tmp/err")"
	same "samples of 30 processes in 3 windows" "$(grep -c '^sample' "$tmp/csv")" 90
done
stop "${processes[@]}"
say "30 processes"

hints() { awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat; }
minor() { awk '{ print $10 }' "/proc/$pid/stat"; }

# By the kernel's count, injection causes at least one hint fault per page and window in which the page
# is used, and no fault after the last window although the program continues. On a busy machine the
# program does not use all its pages in a window.
check_hint_faults() {
	local before left used
	before=$(hints)
	"$FLTCTL" wss --csv -m inject -b 100 -p "$pid" 0.5 2 >"$tmp/csv" || bad "inject: status $?"
	used=$(awk -F, -v pid="$pid" -v page="$page" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] == "sample" && $at["pid"] == pid { n += $at["referenced_bytes"] / page }
		END { print n ? n : "no_input" }' "$tmp/csv")
	at_least "hint faults of two windows" $(($(hints) - before)) "$used"
	say "inject: $used pages in two windows, $(($(hints) - before)) hint faults"
	# Stop the program, so that faults in progress at the end are complete before the first count.
	kill -STOP "$pid"
	sleep 0.2
	before=$(hints) left=$(minor)
	kill -CONT "$pid"
	sleep 1
	same "hint faults after injection" "$(hints)" "$before"
	same "minor faults of the program after injection" "$(minor)" "$left"
}

# Without NUMA balancing, injection is refused, and the message names another method.
check_no_injection() {
	local status=0
	"$FLTCTL" wss --csv -m inject -p "$pid" 0.5 2 >"$tmp/csv" 2>"$tmp/err" || status=$?
	same "inject without NUMA balancing: exit status" "$status" 5
	same "inject without NUMA balancing: message" \
		"$(grep -c 'needs CONFIG_NUMA_BALANCING .*(use scan)' "$tmp/err")" 1
}

start 32 8
if can_inject; then
	check_hint_faults
else
	check_no_injection
fi
stop

# Print the maximum of the written bytes in a window.
written() { # PID
	awk -F, -v pid="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] != "sample" || $at["pid"] != pid { next }
		{ n++ }
		$at["written_bytes"] + 0 > most { most = $at["written_bytes"] + 0 }
		END { print n ? most + 0 : "no_input" }' "$tmp/csv"
}

# Only written pages are reported as written. The kernel of arm64 has no soft-dirty bits.
start 16 4
writer=$pid
start -r 16 4
status=0
"$FLTCTL" wss --csv -W -p "$writer,$pid" 0.5 4 >"$tmp/csv" 2>"$tmp/err" || status=$?
if [ $status = 5 ] && [ "$(uname -m)" != x86_64 ]; then
	same "-W: messages about soft-dirty bits" "$(grep -c CONFIG_MEM_SOFT_DIRTY "$tmp/err")" 1
else
	same "-W: status" $status 0
	at_least "bytes written by the writer" "$(written "$writer")" $((4 << 20))
	at_most "bytes written by the writer" "$(written "$writer")" $(((4 << 20) + slack))
	at_most "bytes written by the reader" "$(written "$pid")" $slack
fi
stop "$writer" "$pid"

# A program touches 4 MiB, later 32, and then 4 again. Windows show each size.
has_window() { # FROM-BYTE TO-BYTE
	samples "$phases" "$tmp/phases" | awk -v from="$1" -v to="$2" '
		$1 >= from && $1 <= to { n++ } END { exit !n }'
}
start 64 4,32
phases=$pid
small=$((4 << 20)) large=$((32 << 20))
some=$((17 * page)) more=$((large / 50))
"$FLTCTL" wss --csv -p "$phases" 0.25 >"$tmp/phases" & reader=$!
checks=$((checks + 3))
until_true has_window $small $((small + some)) || bad "phase of 4 MiB: no window"
kill -USR1 "$phases"
until_true has_window $((large - more)) $((large + more)) || bad "phase of 32 MiB: no window"
kill -USR1 "$phases"
after_large() {
	samples "$phases" "$tmp/phases" |
		awk -v from=$small -v to=$((small + some)) -v large=$((large - more)) '
		$1 >= large { seen = 1 }
		seen && $1 >= from && $1 <= to { n++ }
		END { exit !n }'
}
until_true after_large || bad "second phase of 4 MiB: no window"
kill -INT "$reader"
wait "$reader" || bad "phases: status $?"
[ "$failures" = 0 ] || samples "$phases" "$tmp/phases"

# A program moves its range of 8 MiB by 4 MiB every second. A window of a second has the pages of
# all positions in it. The program returns to the beginning after a minute, when all windows are over
# also on a busy machine.
start -S 4 256 8
"$FLTCTL" wss --csv -p "$pid" 1 5 >"$tmp/csv" || bad "sliding: status $?"
checks=$((checks + 1))
# A scan reads some pages at its beginning and others at its end, so the time for which a page was
# watched is up to the window and the length of the scan.
awk -F, -v slack=$slack '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] != "sample" || !n++ { next }
	{
		steps = int(($at["window_ns"] + $at["cost_ns"]) / 1e9) + 1
		if ($at["referenced_bytes"] > (8 + 4 * steps) * 1048576 + slack)
			bad = 1
		sum += $at["referenced_bytes"]
	}
	END { if (bad || sum < 4 * 10 * 1048576) { print "BAD: moving range"; exit 1 } }' "$tmp/csv" ||
	{ failures=$((failures + 1)); cat "$tmp/csv"; }
# The first window always has a PSS. Later the PSS is read less often.
at_least "windows of a second with a PSS" "$(awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" && $at["pss_bytes"] { n++ } END { print n + 0 }' "$tmp/csv")" 1
stop "$phases" "$pid"
say "phases and moving range"

has_samples() { [ "$(grep -c '^sample' "$tmp/csv")" -ge "$1" ]; }

# Observe a shell script that runs wset with its output in $1/out. wset ends after it has filled
# its memory and fltctl has written so many more samples.
observe_command() { # SAMPLES SCRIPT WSS-ARGUMENTS...
	local samples=$1 script=$2
	shift 2
	rm -f "$tmp/out" "$tmp/csv"
	"$FLTCTL" wss --csv "$@" -- sh -c "$script" sh "$tmp" >"$tmp/csv" 2>"$tmp/err" & reader=$!
	checks=$((checks + 3))
	until_true grep -qs ready "$tmp/out" || bad "$script: not ready"
	until_true has_samples $(($(grep -c '^sample' "$tmp/csv") + samples)) ||
		bad "$script: $(grep -c '^sample' "$tmp/csv") samples"
	pkill -x wset || bad "$script: has ended"
	wait "$reader" || bad "$script: $(cat "$tmp/err")"
}

# A command is tracked from its first instruction. Every page counts as first touch exactly once.
# The shell, and the code and the variables of the program, have fewer than 256 pages.
most=$(((32 << 20) + 256 * page))
observe_command 2 'exec wset 32 2 >"$1/out"' 0.2
touched=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ sum += $at["first_touch_bytes"] } END { print sum }' "$tmp/csv")
at_least "first touch of a command with 32 MiB" "$touched" $((32 << 20))
at_most "first touch of a command with 32 MiB" "$touched" $most

# Every scan holds mmap_lock at least once. The times are reported as a histogram.
holds=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "lock" {
		n += $at["mmap_lock_holds"]
		if ($at["mmap_lock_below_ns"] <= last)
			n = -1
		last = $at["mmap_lock_below_ns"]
	}
	END { print n + 0 }' "$tmp/csv")
at_least "holds of mmap_lock" "$holds" "$(grep -c '^sample' "$tmp/csv")"

# With the method fault, a child of the command is tracked from its fork.
observe_command 2 'wset 32 2 >"$1/out"; true' -m fault 0.5
touched=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" && $at["comm"] == "wset" { sum += $at["first_touch_bytes"] }
	END { print sum + 0 }' "$tmp/csv")
at_least "first touch of a child with 32 MiB" "$touched" $((32 << 20))
at_most "first touch of a child with 32 MiB" "$touched" $most

# In a cumulative window (-C), first touch also covers the whole window.
observe_command 2 'exec wset 32 2 >"$1/out"' -C 0.3
touched=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" { last = $at["first_touch_bytes"] }
	END { print last }' "$tmp/csv")
at_least "first touch of a cumulative window" "$touched" $((32 << 20))
at_most "first touch of a cumulative window" "$touched" $most

# A child that shares the memory of its parent, as after vfork() until exec, is not tracked as a
# process of its own.
observe_command 3 'exec wset -v 16 4 >"$1/out"' -b 100 0.3
same "processes with the shared memory" \
	"$(awk -F, '/^sample/ { seen[$3] = 1 } END { print length(seen) }' "$tmp/csv")" 1
at_least "referenced bytes of the shared memory" \
	"$(samples "$(awk -F, '/^sample/ { print $3; exit }' "$tmp/csv")" |
	awk '$1 > most { most = $1 } END { print most + 0 }')" $((4 << 20))

# A process has one tracker at a time. A second reader gets an error. The tracker ends when its
# reader is killed.
start 16 2
"$FLTCTL" wss -p "$pid" 1 100 >"$tmp/first" 2>&1 & first=$!
until_true grep -q "^[0-9]* $pid live" "$debugfs/wss" ||
	bad "no row in debugfs: $(cat "$debugfs/wss")"
rc=0
"$FLTCTL" wss -p "$pid" 1 1 >"$tmp/second" 2>&1 || rc=$?
same "second reader: status" "$rc" 1
checks=$((checks + 1))
grep -q 'tracked already' "$tmp/second" || bad "second reader: $(cat "$tmp/second")"
kill -9 "$first"
wait "$first" 2>/dev/null || true
gone() { [ "$(wc -l <"$debugfs/wss")" = 1 ]; }
checks=$((checks + 1))
until_true gone || bad "trackers are left after the reader was killed: $(cat "$debugfs/wss")"
"$FLTCTL" wss -p "$pid" 0.2 1 >"$tmp/third" 2>&1 ||
	bad "reader after the killed reader: $(cat "$tmp/third")"
stop

# wss ends when its process ends. It fails if the process does not exist.
start 16 2
"$FLTCTL" wss -p "$pid" 0.3 >"$tmp/out2" 2>&1 & reader=$!
until_true grep -q "^[0-9]* $pid live" "$debugfs/wss" || bad "no row in debugfs"
stop
rc=0
wait "$reader" || rc=$?
same "process ended: status" "$rc" 0
rc=0
"$FLTCTL" wss -p 4194300 >"$tmp/out2" 2>&1 || rc=$?
same "no such process: status" "$rc" 1
echo "$writeback" >/proc/sys/vm/dirty_writeback_centisecs
umount "$tmp/disk"
finish
