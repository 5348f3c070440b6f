#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: zram=1 timeout=300 long=1
# shellcheck disable=SC2119
# Promise: scanning does not change reclaim. A program with too little memory has the same
# numbers of evictions and refaults with and without a scan, within 5 %.
#
# TRY="refs inject" also measures these methods, only for the log.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

rounds=96 times=3
[ -z "$LONG" ] || rounds=512
cgroup=/sys/fs/cgroup/flt-reclaim
mkdir "$cgroup"
echo 512M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0
# Swap in one page at a time, because readahead would hide refaults.
echo 0 >/proc/sys/vm/page-cluster
echo $((48 << 20)) >"$cgroup/memory.max"

stat_of() { awk -v key="$1" '$1 == key { print $2 }' "$cgroup/memory.stat"; }

# Run lru while METHOD measures it. Set evicted and refaulted to the kernel's counts.
run() { # METHOD
	local steal refault reader=
	steal=$(stat_of pgsteal) refault=$(stat_of workingset_refault_anon)
	rm -f "$tmp/csv"
	sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$cgroup" lru 24 64 "$rounds" \
		>"$tmp/out" & pid=$!
	if [ "$1" != off ]; then
		"$FLTCTL" wss --csv -m "$1" -b 100 -p "$pid" 0.05 \
			>"$tmp/csv" 2>"$tmp/err" & reader=$!
	fi
	wait "$pid" || bad "lru: status $?"
	[ -z "$reader" ] || wait "$reader" || bad "$1: status $?: $(cat "$tmp/err")"
	evicted=$(($(stat_of pgsteal) - steal))
	refaulted=$(($(stat_of workingset_refault_anon) - refault))
	say "$1: $evicted evicted, $refaulted refaulted, $(cat "$tmp/out")," \
		"$(grep -c ^sample "$tmp/csv" 2>/dev/null || true) samples"
}

load
declare -A evictions=([off]=0 [scan]=0) refaults=([off]=0 [scan]=0)
for ((i = 0; i < times; i++)); do
	for method in off ${TRY:-} scan; do
		run "$method"
		evictions[$method]=$((${evictions[$method]:-0} + evicted))
		refaults[$method]=$((${refaults[$method]:-0} + refaulted))
	done
done

compare() { # WHAT OFF ON
	at_least "$1 without a scan" "$2" 10000
	at_least "$1 with a scan" "$3" $(($2 - $2 / 20))
	at_most "$1 with a scan" "$3" $(($2 + $2 / 20))
}
compare "evictions" "${evictions[off]}" "${evictions[scan]}"
compare "refaults" "${refaults[off]}" "${refaults[scan]}"
rmdir "$cgroup"
swapoff /dev/zram0
echo 1 >/sys/block/zram0/reset
finish
