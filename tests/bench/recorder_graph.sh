#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measure the cost of 'fltctl record -L': run graph.c natively and with all, half and a quarter
# of its memory. Prints medians of RUNS interleaved runs. Checks no limits.
#
# usage: recorder_graph.sh BUILD-DIR [SCALE [THREADS]]
set -euo pipefail

build=$(realpath "$1") scale=${2:-18} threads=${3:-1} runs=${RUNS:-3}
fltctl=$build/fltctl graph=$build/tests/bench/graph
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$fltctl" record -L 8192 -o trace.flt -- "$graph" "$scale" "$threads" > want 2> log
peak=$(sed -n 's/^memory *peak \([0-9.]*\)MiB.*/\1/p' log)
[ -n "$peak" ] || { echo "recorder_graph.sh: no peak in MiB below 1 GiB at scale $scale" >&2; exit 1; }

run() {
	local name=$1
	shift
	"$@" "$graph" "$scale" "$threads" > out 2> log
	cmp -s out want || { echo "$name: wrong result" >&2; exit 1; }
	# total wall, total cpu, build cpu, service time, faults
	awk '/^edges/ { printf "%s %s %s ", $11, $12, $6 }
	     /^service/ { s = $2 } / faults \(/ { f = $3 }
	     END { print (s == "" ? "-" : s), (f == "" ? "-" : f) }' log >> "$name.runs"
	rm -f trace.flt*
}

for _ in $(seq "$runs"); do
	run native env
	for percent in 100 50 25; do
		mib=$(awk -v p="$peak" -v q=$percent 'BEGIN { printf "%d", p * q / 100 + 1 }')
		run "$percent%" "$fltctl" record -L "$mib" -o trace.flt --
		run "$percent%-no-stack" "$fltctl" record --no-stack -L "$mib" -o trace.flt --
		run "$percent%-server" "$fltctl" record --no-inline -L "$mib" -o trace.flt --
	done
done

column() {
	awk -v c="$2" '{ print $c }' "$1.runs" | sort -n | sed -n "$(((runs + 1) / 2))p"
}
echo "peak $peak MiB, scale $scale, $threads threads, medians of $runs; load $(cut -d' ' -f1-3 /proc/loadavg)"
printf '%-16s %9s %9s %9s %8s %8s  %s\n' '' wall_s cpu_s build_cpu faults cpu/nat service
native=$(column native 2)
for name in native {100,50,25}%{,-no-stack,-server}; do
	cpu=$(column "$name" 2)
	printf '%-16s %9s %9s %9s %8s %8s  %s\n' "$name" "$(column "$name" 1)" "$cpu" \
		"$(column "$name" 3)" "$(column "$name" 5)" \
		"$(awk -v a="$cpu" -v b="$native" 'BEGIN { printf "%.2f", a / b }')" \
		"$(tail -1 "$name.runs" | awk '{ print $4 }')"
done
