#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# unwind.sh FLTCTL [ROUNDS] - CPU time of fltctl per fault when it unwinds stacks of up to 32 frames
# by libunwind (dwarf) and by libdw, for a C++ program (the compiler) and python, with perf events.
#
# Each row is the least of ROUNDS runs (5). The program's own CPU time, with fltctl recording no
# stacks, is subtracted.
set -euo pipefail
export LC_ALL=C
fltctl=$1 rounds=${2:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo '#include <regex>
std::regex r("a*b");' >"$tmp/regex.cc"

run() { # PROGRAM
	case $1 in
	c++) g++ -O1 -c -o /dev/null "$tmp/regex.cc" ;;
	python) python3 -c 'import json, decimal, asyncio, unittest, xml.dom.minidom' ;;
	esac
}
export -f run
export tmp

# Print the least CPU time of fltctl and the program in seconds, and the number of faults.
measure() { # PROGRAM OPTION...
	local program=$1 i
	shift
	for ((i = 0; i < rounds; i++)); do
		/usr/bin/time -o "$tmp/time" -f '%U %S' "$fltctl" record -q -o "$tmp/data" "$@" -- \
			bash -c "run $program"
		"$fltctl" script --csv "$tmp/data" | tail -n +2 | wc -l >"$tmp/faults"
		awk -v faults="$(cat "$tmp/faults")" '{ print $1 + $2, faults }' "$tmp/time"
		rm -f "$tmp"/data*
	done | sort -n | head -1
}

printf '%-8s %-8s %10s %14s\n' program unwind faults 'us per fault'
for program in c++ python; do
	read -r base _ < <(measure $program --no-stack)
	for unwind in fp dwarf libdw; do
		read -r seconds faults < <(measure $program --unwind=$unwind --max-stack=32)
		awk -v p=$program -v u=$unwind -v s="$seconds" -v b="$base" -v n="$faults" \
			'BEGIN { printf "%-8s %-8s %10d %14.1f\n", p, u, n, (s - b) * 1e6 / n }'
	done
done
