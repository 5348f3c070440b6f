#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: cpus=2 timeout=500 long=1
# shellcheck disable=SC2094,SC2119
# Promise: expect counts the faults between two marks as getrusage() does, with kinds and by the last
# names of threads. Beside two busy loops, five programs keep their budgets in every run, and one
# page more in a hot function is found in every run: 1,000 times at the greatest size. RUNS splits
# these among several guests.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

gcc -O2 -g -Iinclude -o "$tmp/batch" docs/expect/batch.c -pthread
gcc -O2 -g -Iinclude -o "$tmp/marks" tests/cli/expect_marks.c
budget=$PWD/docs/expect/faults.budget
runs=${RUNS:-$(sized 5 5 1000)}

expect() { # STATUS ARG...
	local status=0
	"$FLTCTL" expect "${@:2}" >"$tmp/out" 2>"$tmp/err" || status=$?
	same "expect ${*:2}: exit status" $status "$1"
	[ $status = "$1" ] || cat "$tmp/out" "$tmp/err"
}

load
cd "$tmp"

say "counts between marks, kinds and names"
./marks rules >rules
status=0
"$FLTCTL" expect --json -o rows rules -- ./marks run >counts || status=$?
same "exit status" $status 6
same "counts of expect" "$(jq -r 'select(.record == "rule") | "\(.line) \(.count)"' rows | sort)" \
	"$(sort counts)"
at_least "rounds" "$(wc -l <counts)" 20
expect 0 -e 'anon(process_batch) == 64' -e 'anon(process_batch) == 0 after mark "ready"' \
	-e 'anon(thread=io-1) >= 8' -e 'refault == 0' -e 'failed == 0' -- ./batch
expect 5 -e 'anon(thread=oi-1) == 0' -- ./batch
expect 5 -e 'anon == 0 after mark "nothing"' -- ./batch

say "no false alarm beside two busy loops"
for _ in 1 2; do
	while :; do :; done &
	loops+=($!)
done
seq 2000 | sort -R >lines
programs=("./batch" "sort lines" "gzip -c lines" "python3 -c print(1)" "awk {n++} lines")
for i in "${!programs[@]}"; do
	# shellcheck disable=SC2086
	expect 0 --update --runs=3 "budget.$i" -- ${programs[i]}
done
for ((n = 0; n < runs; n++)); do
	for i in "${!programs[@]}"; do
		# shellcheck disable=SC2086
		expect 0 "budget.$i" -- ${programs[i]}
	done
	expect 0 "$budget" -- ./batch
	expect 6 "$budget" -- ./batch more
	at_least "the hot function in the result" "$(grep -c 'process_batch (.*batch.c:' out)" 1
	[ $((n % 50)) != 49 ] || say "$((n + 1)) of $runs runs"
done
kill "${loops[@]}"
cd - >/dev/null
finish
