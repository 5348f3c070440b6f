#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=300 long=1
# shellcheck disable=SC2119
# Promise: scanning does not change reclaim. A program with too little memory has the same
# numbers of evictions and refaults with and without a scan, within 5 %.
#
# Two runs without a scan differ by up to 10 %, so the test compares means. It runs the program
# with and without a scan in turns until the standard error of the difference of the means is at
# most 1 %. The difference is not considered before, so no comparison is repeated. A difference
# of 5 % is then five standard errors.
#
# As a control, the test compares the first half of the runs without a scan to the second half in
# the same way, because a drift during the test would invalidate the standard error.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

rounds=$(sized 96 128 512) least=8
cgroup=/sys/fs/cgroup/flt-reclaim
mkdir "$cgroup"
zram_swap_on 512M
# Swap in one page at a time, because readahead would hide refaults.
echo 0 >/proc/sys/vm/page-cluster
echo $((48 << 20)) >"$cgroup/memory.max"

stat_of() { awk -v key="$1" '$1 == key { print $2 }' "$cgroup/memory.stat"; }

# Run lru while METHOD measures it. Append a line "METHOD EVICTIONS REFAULTS", by the kernel's
# counts, to $tmp/runs.
run() { # METHOD
	local steal refault reader=
	steal=$(stat_of pgsteal) refault=$(stat_of workingset_refault_anon)
	rm -f "$tmp/csv"
	sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$cgroup" lru 24 64 "$rounds" \
		>"$tmp/out" & pid=$!
	if [ "$1" = scan ]; then
		"$FLTCTL" wss --csv -m scan -b 100 -p "$pid" 0.05 \
			>"$tmp/csv" 2>"$tmp/err" & reader=$!
	fi
	wait "$pid" || bad "lru: status $?"
	[ -z "$reader" ] || wait "$reader" || bad "$1: status $?: $(cat "$tmp/err")"
	steal=$(($(stat_of pgsteal) - steal))
	refault=$(($(stat_of workingset_refault_anon) - refault))
	echo "$1 $steal $refault" >>"$tmp/runs"
	say "$1: $steal evicted, $refault refaulted, $(cat "$tmp/out")," \
		"$(grep -c ^sample "$tmp/csv" 2>/dev/null || true) samples"
	[ "$1" = off ] || at_least "samples of a run" "$(grep -c ^sample "$tmp/csv")" 5
}

# Read lines "GROUP VALUE" of two groups, A and B. Print the mean of A, the difference of the
# means and its standard error, the last two in 1/10000 of the mean of A.
difference() {
	awk '{ n[$1]++; sum[$1] += $2; square[$1] += $2 * $2 }
		END {
			if (n["A"] < 2 || n["B"] < 2) {
				print "no_input no_input no_input"
				exit
			}
			for (g in n) {
				mean[g] = sum[g] / n[g]
				error += (square[g] - n[g] * mean[g] ^ 2) / (n[g] - 1) / n[g]
			}
			printf "%d %.0f %.0f\n", mean["A"], (mean["B"] / mean["A"] - 1) * 10000,
				sqrt(error > 0 ? error : 0) / mean["A"] * 10000
		}'
}

# Compare runs with a scan to runs without a scan. COLUMN: 2 for evictions, 3 for refaults.
of_scan() { # COLUMN
	awk -v c="$1" '{ print $1 == "off" ? "A" : "B", $c }' "$tmp/runs" | difference
}

# Compare the first to the second half of the runs without a scan.
of_control() { # COLUMN
	awk -v c="$1" '$1 == "off" { value[++n] = $c }
		END { for (i = 1; i <= n; i++) print i <= n / 2 ? "A" : "B", value[i] }' \
		"$tmp/runs" | difference
}

is_precise() {
	local column error
	for column in 2 3; do
		read -r _ _ error < <(of_scan $column)
		[ "$error" -le 100 ] || return 1
	done
}

load
# Each block has all methods in both orders, so that a drift affects them alike.
runs=0
while [ $runs -lt $least ] || ! is_precise; do
	for method in off scan scan off; do
		run $method
	done
	runs=$((runs + 2))
done

compare() { # WHAT COLUMN
	local mean change error
	read -r mean change error < <(of_scan "$2")
	say "$1: mean $mean, with a scan $change/10000 more, standard error $error/10000"
	at_least "$1 without a scan, per run" "$mean" 3334
	at_least "$1 with a scan: change in 1/10000" "$change" -500
	at_most "$1 with a scan: change in 1/10000" "$change" 500
	read -r mean change error < <(of_control "$2")
	say "$1: second half without a scan $change/10000 more, standard error $error/10000"
	at_least "control of $1: change in 1/10000" "$change" -500
	at_most "control of $1: change in 1/10000" "$change" 500
}
compare "evictions" 2
compare "refaults" 3
rmdir "$cgroup"
zram_swap_off
finish
