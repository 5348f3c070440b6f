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
# without them, in the same turn.
set -euo pipefail

build=$(realpath "$1") runs=${RUNS:-5}
shift
fltctl=$build/fltctl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

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
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", a / b }'; }

read -ra with <<<"${WITH:-}"
printf '%-10s %6s %10s %10s %9s %9s %9s %9s\n' row -L native_s record_s ratio faults peer with
for name in "${rows[@]}"; do
	[ -n "${command[$name]:-}" ] || { echo "recorder.sh: invalid row '$name'" >&2; exit 2; }
	read -ra cmd <<<"${command[$name]}"
	"${cmd[@]}" >out
	result >want
	: >native; : >record; : >ratios; : >peers; : >withs
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
		[ -n "${PEER:-}" ] || continue
		theirs=$(seconds "$PEER" record -L "${limit[$name]}" -M 4096 -- "${cmd[@]}")
		[ -z "$theirs" ] || ratio "$theirs" "$plain" >>peers
	done
	peer=-
	[ -z "${PEER:-}" ] || peer=$(median <peers)
	more=-
	[ ${#with[@]} = 0 ] || more=$(median <withs)
	printf '%-10s %6s %10s %10s %9s %9s %9s %9s\n' "$name" "${limit[$name]}" "$(median <native)" \
		"$(median <record)" "$(median <ratios)" "$faults" "${peer:-fails}" "${more:-fails}"
done
echo "medians of $runs pairs; load $(cut -d' ' -f1-3 /proc/loadavg)"
