#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 timeout=400
# shellcheck disable=SC2119
# Promise: of a program with a known working set, scan and inject find that and no
# more, to 2 % or 64 KiB; its RSS is the kernel's, to the byte; injected faults are as
# many as pages were used, and pages are given back; and nothing stays behind a reader
# that dies.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

mkfs.ext4 -q -b 4096 /dev/vda
mkdir -p "$tmp/disk"
mount -t ext4 /dev/vda "$tmp/disk"

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

# Rows of a process into columns: referenced rss window anon file shmem huge flags.
# The first is left out: what it touched before it was ready is in there.
samples() { # PID [CSV]
	awk -F, -v pid="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] != "sample" || $at["pid"] != pid || !n++ { next }
		{
			print $at["referenced_bytes"] + 0, $at["rss_bytes"] + 0, $at["window_ns"] + 0,
				$at["anon_bytes"] + 0, $at["file_bytes"] + 0, $at["shmem_bytes"] + 0,
				$at["rss_huge_bytes"] + 0, $at["flags"]
		}' "${2:-$tmp/csv}"
}

# Five windows are five of each process. No sample may have more than the program
# touched; two or more must have all of it: a window in which the program did not get
# the CPU for a whole round has less.
judge() { # WHAT PID MIB KIND-COLUMN HUGE-MIB
	checks=$((checks + 1))
	samples "$2" | awk -v what="$1" -v mib="$3" -v column="$4" -v huge="$5" '
		function wrong(text) { printf "BAD: %s: %s\n", what, text; failed = 1 }
		BEGIN { want = mib * 1048576; slack = want / 50 > 65536 ? want / 50 : 65536 }
		{
			n++
			if ($1 > want + slack) wrong($1 " bytes referenced, should be " want)
			all += $1 >= want - slack
			if ($column < $1 - slack) wrong("of the wrong kind: " $0)
			if ($1 > $2) wrong("more referenced than resident: " $0)
			# With memory in pieces one may have come as small ones.
			if ($7 > huge * 1048576 || $7 < huge * 1048576 - slack) wrong($7 " bytes of huge pages")
		}
		END {
			if (n != 4) wrong(n + 1 " samples in five windows")
			if (all < 2) wrong(n - all " of " n " samples have less than " want)
			exit failed
		}' || { failures=$((failures + 1)); samples "$2"; }
	say "$1: $(samples "$2" | awk '{ printf "%s ", $1 }')"
}

pids=() names=() mibs=() columns=() huges=()
known() { # NAME MIB KIND-COLUMN HUGE-MIB WSET-ARGUMENTS...
	names+=("$1") mibs+=("$2") columns+=("$3") huges+=("$4")
	shift 4
	start "$@"
	pids+=("$pid")
}

# All that are known, at once, by a method.
find_known() { # METHOD WINDOW
	local i list
	list=$(IFS=,; echo "${pids[*]}")
	"$FLTCTL" wss --csv -m "$1" -b 100 -p "$list" "$2" 5 >"$tmp/csv" 2>"$tmp/err" ||
		bad "$1: status $?, $(cat "$tmp/err")"
	for i in "${!pids[@]}"; do
		judge "$1, ${names[i]}" "${pids[i]}" "${mibs[i]}" "${columns[i]}" "${huges[i]}"
	done
}

forget_known() {
	stop "${pids[@]}"
	pids=() names=() mibs=() columns=() huges=()
}

load
# Its own hints would be in the way, and on 6.1 smaps leaves out huge pages that it made fault.
echo 0 >/proc/sys/kernel/numa_balancing
known "2 of 64 MiB" 2 4 0 64 2
known "8 of 64 MiB" 8 4 0 64 8
known "8 of 64 MiB, huge pages" 8 4 64 -H 64 8
known "8 of 64 MiB, shared memory" 8 6 0 -s 64 8
known "8 of 64 MiB, a file" 8 5 0 -f "$tmp/disk/file" 64 8
known "64 of 80 MiB" 64 4 0 80 64
find_known scan 0.5
for i in "${!pids[@]}"; do
	same "${names[i]}: RSS" "$(samples "${pids[i]}" | awk 'END { print $2 }')" \
		"$(awk '/^Rss:/ { print $2 * 1024 }' "/proc/${pids[i]}/smaps_rollup")"
done
forget_known
known "8 of 64 MiB" 8 4 0 64 8
known "8 of 64 MiB, huge pages" 8 4 64 -H 64 8
known "2 of 32 MiB, shared memory" 2 6 0 -s 32 2
known "2 of 32 MiB, a file" 2 5 0 -f "$tmp/disk/file" 32 2
find_known inject 0.7
forget_known
if [ -n "$LONG" ]; then
	known "64 of 80 MiB" 64 4 0 80 64
	find_known inject 5
	forget_known
	known "512 of 600 MiB" 512 4 0 600 512
	find_known scan 3
	find_known inject 10
	forget_known
	known "512 of 600 MiB, huge pages" 512 4 600 -H 600 512
	find_known scan 0.5
	find_known inject 0.5
	forget_known
fi

# The windows asked for are those of every process, however many there are: the module
# is at work on the last ones when the first have theirs.
crowd=()
for ((i = 0; i < 30; i++)); do
	sleep 1000 &
	crowd+=("$!")
done
list=$(IFS=,; echo "${crowd[*]}")
for ((i = 0; i < 10; i++)); do
	"$FLTCTL" wss --csv -b 100 -p "$list" 0.05 3 >"$tmp/csv" 2>"$tmp/err" || bad "a crowd: $(cat "$tmp/err")"
	same "samples of 30 processes in 3 windows" "$(grep -c '^sample' "$tmp/csv")" 90
done
stop "${crowd[@]}"
say "a crowd"

# Whoever is withheld faults once, says the kernel, and not again when it is over: of
# 2048 pages in a window and a few, none after it, while the program goes on.
hints() { awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat; }
start 32 8
minor() { awk '{ print $10 }' "/proc/$pid/stat"; }
before=$(hints)
"$FLTCTL" wss --csv -m inject -b 100 -p "$pid" 0.5 2 >"$tmp/csv" || bad "inject: status $?"
referenced=$(samples "$pid" | awk '{ print $1 / 4096 }')
at_least "hint faults of two windows" $(($(hints) - before)) $((2 * 2048))
say "inject: $referenced pages found in the second window, $(($(hints) - before)) hint faults in both"
# Held still: what was under way at the end is over.
kill -STOP "$pid"
sleep 0.2
before=$(hints) left=$(minor)
kill -CONT "$pid"
sleep 1
same "hint faults when it is over" "$(hints)" "$before"
same "faults of the program when it is over" "$(minor)" "$left"
stop

# Written is what was written to, and not what was read.
start 16 4
writer=$pid
start -r 16 4
"$FLTCTL" wss --csv -W -p "$writer,$pid" 0.5 4 >"$tmp/csv" || bad "written: status $?"
written() { # PID: the most
	awk -F, -v pid="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] != "sample" || $at["pid"] != pid { next }
		{ n++ }
		$at["written_bytes"] + 0 > most { most = $at["written_bytes"] + 0 }
		END { print n ? most + 0 : "no_input" }' "$tmp/csv"
}
at_least "written to by a writer" "$(written "$writer")" $((4 << 20))
at_most "written to by a writer" "$(written "$writer")" $(((4 << 20) + (64 << 10)))
at_most "written to by a reader" "$(written "$pid")" $((64 << 10))
stop "$writer" "$pid"

# Phases of a second: windows well within one show it alone. And beside it a window
# that slides 4 MiB on every second: what lies in it, and what it left.
start 64 4,32
phases=$pid
start -S 4 64 8
"$FLTCTL" wss --csv -p "$phases" 0.25 24 >"$tmp/phases" & reader=$!
"$FLTCTL" wss --csv -p "$pid" 1 5 >"$tmp/csv" || bad "sliding: status $?"
wait "$reader" || bad "phases: status $?"
checks=$((checks + 2))
samples "$phases" "$tmp/phases" | awk '
	NR == 1 { least = most = $1 }
	{ if ($1 < least) least = $1; if ($1 > most) most = $1 }
	END {
		if (least > 4.07 * 1048576 || most < 31.3 * 1048576 || most > 32.7 * 1048576)
			{ printf "BAD: phases of 4 and 32 MiB: %d to %d\n", least, most; exit 1 }
	}' || { failures=$((failures + 1)); samples "$phases" "$tmp/phases"; }
samples "$pid" | awk '
	# The first jump back from the end to the beginning is far away.
	{ steps = int($3 / 1e9) + 1; if ($1 > (8 + 4 * steps) * 1048576 + 65536) bad = 1; sum += $1 }
	END { if (bad || sum < 4 * 10 * 1048576) { print "BAD: sliding window"; exit 1 } }' ||
	{ failures=$((failures + 1)); samples "$pid"; }
# Of the first window there always is one; later it is spaced.
at_least "windows of a second with a PSS" "$(awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" && $at["pss_bytes"] { n++ } END { print n + 0 }' "$tmp/csv")" 1
stop "$phases" "$pid"
say "phases and sliding"

# A command from its first instruction on: all it fills is touched once.
"$FLTCTL" wss --csv 0.2 -- sh -c 'exec wset -t 3 32 2 >/dev/null' >"$tmp/csv" 2>"$tmp/err" ||
	bad "command: $(cat "$tmp/err")"
touched=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ sum += $at["first_touch_bytes"] } END { print sum }' "$tmp/csv")
at_least "first touch of a command with 32 MiB" "$touched" $((32 << 20))
at_most "first touch of a command with 32 MiB" "$touched" $((33 << 20))

# How long it held the lock to see that: every scan did, and said so once.
holds=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "lock" { n += $at["mmap_lock_holds"]; if ($at["mmap_lock_below_ns"] <= last) n = -1
		last = $at["mmap_lock_below_ns"] }
	END { print n + 0 }' "$tmp/csv")
at_least "times that mmap_lock was held" "$holds" "$(grep -c '^sample' "$tmp/csv")"

# So is a child of it by fault alone: its account begins with its birth.
"$FLTCTL" wss --csv -m fault 0.5 6 -- sh -c 'wset -t 6 32 2 >/dev/null; true' >"$tmp/csv" 2>"$tmp/err" ||
	bad "a child by fault: $(cat "$tmp/err")"
touched=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" && $at["comm"] == "wset" { sum += $at["first_touch_bytes"] } END { print sum + 0 }' "$tmp/csv")
at_least "first touch of a child with 32 MiB" "$touched" $((32 << 20))
at_most "first touch of a child with 32 MiB" "$touched" $((33 << 20))

# What it touched first is of the whole window, also when the window only grows.
"$FLTCTL" wss --csv -C 0.3 6 -- sh -c 'exec wset -t 3 32 2 >/dev/null' >"$tmp/csv" 2>"$tmp/err" ||
	bad "cumulative: $(cat "$tmp/err")"
touched=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" { last = $at["first_touch_bytes"] } END { print last }' "$tmp/csv")
at_least "first touch of a cumulative window" "$touched" $((32 << 20))
at_most "first touch of a cumulative window" "$touched" $((33 << 20))

# A child that has its parent's memory, as that of vfork() until it executes, is not another
# that uses it.
"$FLTCTL" wss --csv -b 100 0.3 5 -- sh -c 'exec wset -v -t 3 16 4 >/dev/null' >"$tmp/csv" 2>"$tmp/err" ||
	bad "a borrower: $(cat "$tmp/err")"
same "processes with that memory" "$(awk -F, '/^sample/ { seen[$3] = 1 } END { print length(seen) }' "$tmp/csv")" 1
at_least "used beside a borrower" "$(samples "$(awk -F, '/^sample/ { print $3; exit }' "$tmp/csv")" |
	awk '$1 > most { most = $1 } END { print most + 0 }')" $((4 << 20))

# One reader at a time, said so; and none left when it dies.
start 16 2
"$FLTCTL" wss -p "$pid" 1 100 >"$tmp/first" 2>&1 & first=$!
until_true grep -q "^[0-9]* $pid live" "$debugfs/wss" || bad "no row in debugfs: $(cat "$debugfs/wss")"
rc=0
"$FLTCTL" wss -p "$pid" 1 1 >"$tmp/second" 2>&1 || rc=$?
same "a second reader: status" "$rc" 1
checks=$((checks + 1))
grep -q 'tracked already' "$tmp/second" || bad "a second reader: $(cat "$tmp/second")"
kill -9 "$first"
wait "$first" 2>/dev/null || true
gone() { [ "$(wc -l <"$debugfs/wss")" = 1 ]; }
checks=$((checks + 1))
until_true gone || bad "left behind: $(cat "$debugfs/wss")"
"$FLTCTL" wss -p "$pid" 0.2 1 >"$tmp/third" 2>&1 || bad "after it died: $(cat "$tmp/third")"
stop

# A process that ends ends it; so does one that was never there.
start 16 2
"$FLTCTL" wss -p "$pid" 0.3 >"$tmp/out2" 2>&1 & reader=$!
until_true grep -q "^[0-9]* $pid live" "$debugfs/wss" || bad "no row in debugfs"
stop
rc=0
wait "$reader" || rc=$?
same "the process ended: status" "$rc" 0
rc=0
"$FLTCTL" wss -p 4194300 >"$tmp/out2" 2>&1 || rc=$?
same "no such process: status" "$rc" 1
umount "$tmp/disk"
finish
