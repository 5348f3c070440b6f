#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare programs under `fltctl record -L` with their native runs. A row is the median of RUNS
# pairs; the two runs of a pair follow each other. Checks no limits.
#
# usage: recorder.sh BUILD-DIR [ROW...]
#
# BFS=FILE adds rows for bfs of the GAP Benchmark Suite. PEER=FILE adds a column for another recorder
# with the arguments `record -L MB -M MB -- COMMAND`: its time relative to native, or "fails".
# WITH=OPTIONS adds a column for the recorder with more options: its time relative to the recorder
# without them, in the same turn. KERNEL=1 adds a column for the kernel's own limit: the time relative
# to native in a memory cgroup of -L MB, with swap on a zram device and without recording. KERNEL=1
# needs root, the v1 memory controller, zram, and no other swap.
set -euo pipefail

build=$(realpath "$1") runs=${RUNS:-5}
shift
fltctl=$build/fltctl
work=$(mktemp -d)
cgroup='' zram='' cluster=''
undo() {
	[ -z "$cluster" ] || echo "$cluster" >/proc/sys/vm/page-cluster
	[ -z "$cgroup" ] || rmdir "$cgroup"
	if [ -n "$zram" ]; then
		swapoff "/dev/zram$zram" || true
		echo "$zram" >/sys/class/zram-control/hot_remove
	fi
	rm -rf "$work"
}
trap undo EXIT
cd "$work"

if [ -n "${KERNEL:-}" ]; then
	[ "$(wc -l </proc/swaps)" = 1 ] || { echo "recorder.sh: KERNEL=1: swapoff -a first" >&2; exit 2; }
	zram=$(cat /sys/class/zram-control/hot_add)
	echo 1G >"/sys/block/zram$zram/disksize"
	mkswap "/dev/zram$zram" >mkswap.log
	swapon "/dev/zram$zram"
	cgroup=/sys/fs/cgroup/memory/flt-bench.$$
	mkdir "$cgroup"
	cluster=$(cat /proc/sys/vm/page-cluster)
	# Each page that comes back is a fault of its own, as under the recorder.
	echo 0 >/proc/sys/vm/page-cluster
fi

# Name, limit in MB, command.
rows=()
row() { rows+=("$1"); limit[$1]=$2; command[$1]=$3; }
declare -A limit command
if [ -n "${BFS:-}" ]; then
	bfs=$(realpath "$BFS")
	row bfs-1000 1000 "$bfs -g 20 -n 1"
	row bfs-140 140 "$bfs -g 20 -n 1"
fi
row sort-1 60 'sort --parallel=1 lines'
row sort-2 60 'sort --parallel=2 lines'
row python 60 'python3 dict.py'
row true-100 100 'sh true.sh'
[ $# = 0 ] || rows=("$@")

seq 3000000 | awk '{ print $1 * 7919 % 3000017 }' >lines
cat >dict.py <<'END'
words = {i: str(i) for i in range(1500000)}
print(sum(len(words[i]) for i in words))
END
printf 'for i in %s; do /bin/true; done\n' "$(seq -s ' ' 100)" >true.sh

result() { sed '/[Tt]ime/d' out; }	# bfs prints times
# Print the seconds that a command takes, or nothing if it fails or has another result.
seconds() { # COMMAND...
	local from=$EPOCHREALTIME to
	timeout 600 "$@" >out 2>log || return 0
	to=$EPOCHREALTIME
	result | cmp -s - want || return 0
	awk -v a="$from" -v b="$to" 'BEGIN { printf "%.3f\n", b - a }'
}
# The same in a cgroup of MB.
limited() { # MB COMMAND...
	echo "$(($1 << 20))" >"$cgroup/memory.limit_in_bytes"
	# shellcheck disable=SC2016 # the shell in the cgroup expands these
	seconds sh -c 'echo $$ >"$0"/cgroup.procs && exec "$@"' "$cgroup" "${@:2}"
}
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", a / b }'; }

read -ra with <<<"${WITH:-}"
format='%-10s %6s %10s %10s %9s %9s %9s %9s %9s\n'
# shellcheck disable=SC2059 # one format for all rows
printf "$format" row -L native_s record_s ratio faults peer with kernel
for name in "${rows[@]}"; do
	[ -n "${command[$name]:-}" ] || { echo "recorder.sh: invalid row '$name'" >&2; exit 2; }
	read -ra cmd <<<"${command[$name]}"
	"${cmd[@]}" >out
	result >want
	: >native; : >record; : >ratios; : >peers; : >withs; : >kernels
	faults=
	for _ in $(seq "$runs"); do
		rm -f trace.flt*
		plain=$(seconds "${cmd[@]}")
		ours=$(seconds "$fltctl" record -L "${limit[$name]}" -o trace.flt -- "${cmd[@]}")
		if [ -z "$plain" ] || [ -z "$ours" ]; then
			echo "recorder.sh: $name fails:" >&2
			cat log >&2
			exit 1
		fi
		faults=$(sed -n 's/.*: \([0-9]*\) faults.*/\1/p' log)
		echo "$plain" >>native
		echo "$ours" >>record
		ratio "$ours" "$plain" >>ratios
		if [ ${#with[@]} != 0 ]; then
			rm -f trace.flt*
			more=$(seconds "$fltctl" record -L "${limit[$name]}" "${with[@]}" -o trace.flt -- "${cmd[@]}")
			[ -z "$more" ] || ratio "$more" "$ours" >>withs
		fi
		if [ -n "$cgroup" ]; then
			alone=$(limited "${limit[$name]}" "${cmd[@]}")
			[ -z "$alone" ] || ratio "$alone" "$plain" >>kernels
		fi
		[ -n "${PEER:-}" ] || continue
		theirs=$(seconds "$PEER" record -L "${limit[$name]}" -M 4096 -- "${cmd[@]}")
		[ -z "$theirs" ] || ratio "$theirs" "$plain" >>peers
	done
	peer=-
	[ -z "${PEER:-}" ] || peer=$(median <peers)
	more=-
	[ ${#with[@]} = 0 ] || more=$(median <withs)
	kernel=-
	[ -z "$cgroup" ] || kernel=$(median <kernels)
	# shellcheck disable=SC2059
	printf "$format" "$name" "${limit[$name]}" "$(median <native)" "$(median <record)" \
		"$(median <ratios)" "$faults" "${peer:-fails}" "${more:-fails}" "${kernel:-fails}"
done
echo "medians of $runs pairs; load $(cut -d' ' -f1-3 /proc/loadavg)"
