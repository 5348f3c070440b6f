#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# recorder_fork.sh BUILD-DIR - measure the time of fork() and exit of a small program under
# fltctl record, with -M of 1 GiB and of 1 TiB: a larger region of addresses must not cost a fork
# more than 2 ms. Prints the median of each run, in turns, and the difference of their medians.
set -euo pipefail

build=$(realpath "$1")
forks=${FORKS:-50} reps=${REPS:-7} rounds=${ROUNDS:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

measure() { # SIZE
	"$build/fltctl" record -q --engine=preload -L 8 -M "$1" -o trace.flt -- \
		"$build/tests/bench/forkcost" "$forks" "$reps" > out
	rm -f trace.flt*
	sed -n 's/^fork=\([0-9]*\) .*/\1/p' out >> "$1.ns"
	echo "-M $1: $(cat out) ns"
}

echo "natively: $("$build/tests/bench/forkcost" "$forks" "$reps") ns"
for ((i = 0; i < rounds; i++)); do
	measure 1G
	measure 1T
done
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
awk -v small="$(median 1G.ns)" -v large="$(median 1T.ns)" 'BEGIN {
	printf "fork and exit: %.3f ms with -M 1G, %.3f ms with -M 1T: %+.3f ms\n",
		small / 1e6, large / 1e6, (large - small) / 1e6 }'
