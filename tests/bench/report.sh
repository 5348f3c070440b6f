#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measure the size of recordings and the cost of reports: bytes per fault of an artificial
# recording and of graph.c with half of its memory, and time and memory of 'fltctl report' for
# all rows. Checks no limits.
#
# usage: report.sh BUILD-DIR [FAULTS [STACKS [SCALE]]]
set -euo pipefail

build=$(realpath "$1") faults=${2:-10000000} stacks=${3:-50000} scale=${4:-18} runs=${RUNS:-3}
fltctl=$build/fltctl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# size NAME FILE FAULTS
size() {
	local bytes
	bytes=$(stat -c %s "$2")
	echo "$1: $3 faults, $bytes bytes, $(awk -v b="$bytes" -v n="$3" 'BEGIN { printf "%.2f", b / n }') a fault"
}

# costs COMMAND...: print elapsed and CPU seconds and peak memory of the run with median time
costs() {
	for _ in $(seq "$runs"); do
		python3 - "$@" <<'END'
import os, resource, subprocess, sys, time
began = time.monotonic()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
took = time.monotonic() - began
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{took:.2f} s ({use.ru_utime + use.ru_stime:.2f} s of CPU), {use.ru_maxrss / 1024:.0f} MiB")
END
	done | sort -n | sed -n "$(((runs + 1) / 2))p"
}

"$build/trace/generate" made_up.flt "$faults" "$stacks"
size "made up, $stacks stacks" made_up.flt "$faults"
for how in '' '--by function' '--by object' '--by stack --csv' '--callees'; do
	# shellcheck disable=SC2086
	echo "report $how: $(costs "$fltctl" report $how made_up.flt)"
done
rm made_up.flt

for options in '' --no-stack; do
	# shellcheck disable=SC2086
	"$fltctl" record $options -L 8192 -o graph.flt -- "$build/tests/bench/graph" "$scale" >/dev/null 2>log
	peak=$(sed -n 's/^memory *peak \([0-9.]*\)MiB.*/\1/p' log)
	rm graph.flt
	# shellcheck disable=SC2086
	"$fltctl" record $options -L "$(awk -v p="$peak" 'BEGIN { printf "%d", p / 2 + 1 }')" -o graph.flt -- \
		"$build/tests/bench/graph" "$scale" >/dev/null 2>log
	size "graph $scale with half of $peak MiB $options" graph.flt \
		"$(sed -n 's/.*: \([0-9]*\) faults (.*/\1/p' log)"
	echo "report: $(costs "$fltctl" report graph.flt)"
	rm -f graph.flt*
done
echo "medians of $runs; load $(cut -d' ' -f1-3 /proc/loadavg)"
