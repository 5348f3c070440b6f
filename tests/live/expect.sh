#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 cpus=2 zram=1 timeout=500 half=6.1,6.12,7.3
# shellcheck disable=SC2016,SC2094,SC2119
# Promise: expect counts the faults between two marks as getrusage() does, with kinds and by the last
# names of threads. A rule that a program breaks is found broken, for each kind. Beside two busy
# loops, five programs keep their budgets in every run, and one page more in a hot function is found
# in every run: 1,000 times at the greatest size. RUNS splits these among several guests.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

gcc -O2 -g -Iinclude -o "$tmp/batch" docs/expect/batch.c -pthread
gcc -O2 -g -Iinclude -o "$tmp/marks" tests/cli/expect_marks.c
budget=$PWD/docs/expect/faults.budget
runs=${RUNS:-$(sized 1 5 1000)}

expect() { # STATUS ARG...
	local status=0
	"$FLTCTL" expect "${@:2}" >"$tmp/out" 2>"$tmp/err" || status=$?
	same "expect ${*:2}: exit status" $status "$1"
	[ $status = "$1" ] || cat "$tmp/out" "$tmp/err"
}

# Check that a command breaks a rule with a number of faults. Others of the same kind precede them.
broken() { # COUNTER NUMBER COMMAND...
	expect 6 --json -o rows -e "$1 < $2" -- "${@:3}"
	at_least "$1: faults past the limit" "$(jq 'select(.record == "rule").count' rows)" "$2"
}

# The same for a counter that nothing else in the program changes.
broken_exactly() { # COUNTER NUMBER COMMAND...
	broken "$@"
	expect 0 -e "$1 == $2" -- "${@:3}"
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
expect 0 -e 'anon(process_batch) == 64' -e 'anon(process_batch) == 0 after mark "ready"' \
	-e 'anon(thread=io-1) >= 8' -e 'refault == 0' -e 'failed == 0' -- ./batch
expect 5 -e 'anon(thread=oi-1) == 0' -- ./batch
expect 5 -e 'anon == 0 after mark "nothing"' -- ./batch

say "each kind of rule is broken"
head -c 1M /dev/urandom >file
broken_exactly refault 32 kinds swap 32
broken_exactly swap 32 kinds swap 32
broken failed 10 fail sigbus 10
broken uffd 12 kinds uffd 12
broken anon 64 kinds anon 64
broken cow 16 kinds cow 16 file
broken wp 16 kinds reuse 16
broken shared 16 kinds shared 16 file
broken device 4 kinds device 4
broken file 1 kinds file 256 file
! has_thp || broken_exactly huge 2 kinds huge 2

say "marks by a line of output and by a signal"
# The command waits until its line has been passed on.
after_line='echo go; until grep -q go shown; do sleep 0.01; done; exec kinds anon 64'
status=0
"$FLTCTL" expect -e 'anon(process=kinds) >= 64 after line "go"' -o out -- sh -c "$after_line" >shown ||
	status=$?
same "kept after a line: exit status" $status 0
"$FLTCTL" expect -e 'anon(process=kinds) < 64 after line "go"' -o out -- sh -c "$after_line" >shown ||
	status=$?
same "broken after a line: exit status" $status 6
# The command waits until fltctl has taken the signal and sleeps again.
after_signal='kill -USR1 $PPID
until grep -q "^ShdPnd:.*0000$" /proc/$PPID/status && grep -q do_sys_poll /proc/$PPID/stack; do :; done
exec kinds anon 64'
expect 0 -e 'anon(process=kinds) >= 64 after signal USR1' -- sh -c "$after_signal"
expect 6 -e 'anon(process=kinds) < 64 after signal USR1' -- sh -c "$after_signal"

say "formats"
expect 6 --format=tap -e 'anon == 0' -e 'anon >= 64' -- kinds anon 64
same "TAP: broken" "$(grep -c '^not ok' out)" 1
same "TAP: kept" "$(grep -c '^ok' out)" 2
expect 6 --format=junit -e 'anon == 0' -e 'anon >= 64' -- kinds anon 64
same "JUnit: failures" "$(grep -c '<failure' out)" 1

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
zram_swap_off
finish
