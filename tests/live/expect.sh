#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 cpus=2 zram=1 timeout=500 turns=6.1,6.12,7.3
# shellcheck disable=SC2016,SC2094,SC2119
# Promise: expect counts the faults between two marks as getrusage() does, with kinds and by the last
# names of threads. A rule that a program breaks is found broken, for each kind. Beside two busy
# loops, five programs keep their budgets in every run, and one page more in a hot function is found
# in every run: 1,000 times at the greatest size. RUNS is the number of runs; tests/live/expect-runs
# sums up those of several guests.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

gcc -O2 -g -Iinclude -o "$tmp/batch" docs/expect/batch.c -pthread
gcc -O2 -g -Iinclude -o "$tmp/marks" tests/cli/expect_marks.c
budget=$PWD/docs/expect/faults.budget
runs=${RUNS:-$(sized 1 5 1000)}

# Run expect in the current directory, check its status, and set status to it.
expect() { # STATUS ARG...
	status=0
	"$FLTCTL" expect "${@:2}" >"$tmp/out" 2>"$tmp/err" || status=$?
	same "expect ${*:2}: exit status" $status "$1"
	[ $status = "$1" ] || cat "$tmp/out" "$tmp/err"
}

# Check that a command has as many faults of a kind as a rule says, and breaks the rule that says
# fewer. The operator is ==, or >= if faults of the same kind precede those of the command.
broken() { # COUNTER OPERATOR NUMBER COMMAND...
	expect 6 --json -o rows -e "$1 < $3" -e "$1 $2 $3" -- "${@:4}"
	same "$1: verdicts" "$(jq -r 'select(.record == "rule").verdict' rows | paste -sd' ')" \
		"broken kept"
}

zram_swap_on 64M
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
expect 5 -e 'anon(process_batch) == 64' -e 'anon(process_batch) == 0 after mark "ready"' \
	-e 'anon(thread=io-1) >= 8' -e 'refault == 0' -e 'failed == 0' \
	-e 'anon(thread=oi-1) == 0' -e 'anon == 0 after mark "nothing"' -- ./batch
same "verdicts" "$(grep -o '[0-9]* kept, [0-9]* broken, [0-9]* not measured' out)" \
	"5 kept, 0 broken, 2 not measured"

say "each kind of rule is broken"
head -c 1M /dev/urandom >file
broken refault == 32 kinds swap 32
broken swap == 32 kinds swap 32
broken failed '>=' 10 fail sigbus 10
broken uffd '>=' 12 kinds uffd 12
broken anon '>=' 64 kinds anon 64
broken cow '>=' 16 kinds cow 16 file
# On one CPU, as in kinds.sh: the kernel copies a page that another CPU holds in its LRU batch.
broken wp '>=' 16 taskset -c 0 kinds reuse 16
broken shared '>=' 16 kinds shared 16 file
broken device '>=' 4 kinds device 4
broken file '>=' 1 kinds file 256 file
! has_thp || broken huge == 2 kinds huge 2
echo 2 >/proc/sys/vm/nr_hugepages
broken hugetlb == 2 kinds hugetlb 2
echo 0 >/proc/sys/vm/nr_hugepages

say "marks by a line of output and by a signal, in TAP and JUnit XML"
# The command waits until its line has been passed on.
expect 6 --format=tap -o results -e 'anon(process=kinds) >= 64 after line "go"' \
	-e 'anon(process=kinds) == 0 before line "go"' -e 'anon(process=kinds) < 64 after line "go"' \
	-- sh -c 'echo go; until grep -q go out; do sleep 0.01; done; exec kinds anon 64'
same "TAP: kept" "$(grep -c '^ok' results)" 3
same "TAP: broken" "$(grep '^not ok' results)" 'not ok 4 - anon(process=kinds) < 64 after line "go"'
# The command waits until fltctl has taken the signal and sleeps again.
expect 6 --format=junit -o results -e 'anon(process=kinds) >= 64 after signal USR1' \
	-e 'anon(process=kinds) == 0 before signal USR1' -e 'anon(process=kinds) < 64 after signal USR1' \
	-- sh -c 'kill -USR1 $PPID
	until grep -q "^ShdPnd:.*0000$" /proc/$PPID/status && grep -q poll /proc/$PPID/wchan; do :; done
	exec kinds anon 64'
same "JUnit: test cases" "$(grep -c '<testcase' results)" 4
same "JUnit: failures" "$(grep -c '<failure' results)" 1

say "budgets of programs"
seq 2000 | sort -R >lines
programs=("sort lines" "gzip -c lines" "python3 -c print(1)" "awk {n++} lines")
for i in "${!programs[@]}"; do
	# shellcheck disable=SC2086
	expect 0 --update --runs=3 "budget.$i" -- ${programs[i]}
done

say "no false alarm beside two busy loops"
for _ in 1 2; do
	while :; do :; done &
	loops+=($!)
done
programs+=("./batch")
cp "$budget" "budget.$((${#programs[@]} - 1))"
begun=$SECONDS alarms=0 missed=0
for ((n = 1; n <= runs; n++)); do
	for i in "${!programs[@]}"; do
		# shellcheck disable=SC2086
		expect 0 "budget.$i" -- ${programs[i]}
		[ $status = 0 ] || alarms=$((alarms + 1))
	done
	expect 6 "$budget" -- ./batch more
	hot=$(grep -c 'process_batch (.*batch.c:' out) || true
	at_least "the hot function in the result" "$hot" 1
	[ $status = 6 ] && [ "$hot" -ge 1 ] || missed=$((missed + 1))
	# tests/live/expect-runs reads the last one of these lines.
	say "runs=$n of=$runs programs=$((n * ${#programs[@]})) alarms=$alarms planted=$n" \
		"missed=$missed seconds=$((SECONDS - begun))"
done
kill "${loops[@]}"
cd - >/dev/null
zram_swap_off
finish
