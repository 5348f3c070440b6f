#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: timeout=300
# shellcheck disable=SC2016,SC2119
# Promise: fltctl says of the module what is true: a command's faults equal
# wait4's, watching a process equals /proc/PID/stat, a loss makes status 3 and the
# last line say so, permission and switched-off probes are told apart and named.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

row() { jq -s "$1" "$tmp/json"; }	# an expression over the array of rows

# What fltctl exits with, its output in $tmp/out and $tmp/err.
status_of() {
	local status=0
	"$FLTCTL" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	echo $status
}

counted() { # NAME COMMAND...: in a session, against wait4
	local name=$1
	shift
	"$FLTCTL" stats --json -o "$tmp/json" -- "$@" >"$tmp/stdout" 2>"$tmp/stderr" ||
		bad "$name: status $?: $(cat "$tmp/stderr")"
	same "$name: minor" "$(row '.[-1].minor')" "$(row '.[-1].wait4_minor')"
	same "$name: major" "$(row '.[-1].major')" "$(row '.[-1].wait4_major')"
	same "$name: complete" "$(row '.[-1].complete')" true
	same "$name: rows of processes add up" \
		"$(row 'map(select(.record == "process").minor) | add')" "$(row '.[-1].minor')"
	same "$name: kinds add up" \
		"$(row '.[-1] | to_entries | map(select(.key | startswith("kind_")).value) | add')" \
		"$(row '.[-1] | .minor + .major')"
}

load
say "check"
same "check, status" "$(status_of check)" 0
same "check, one fault" "$(grep -c '^ok    one fault' "$tmp/out")" 1
same "check, no 'no'" "$(lines '^no' "$tmp/out")" 0
same "check --json" "$("$FLTCTL" check --json | jq -s 'if . == [] then "no_input" else map(select(.result == "no")) | length end')" 0

say "stats -- command"
counted "one process" true
counted "children" sh -c 'ls / >/dev/null; ls / | wc -l; (ls / >/dev/null) & wait'
counted "fork tree" tree fork 20 8
counted "anonymous pages" kinds anon 300
at_least "anonymous pages, kind" "$(row '.[-1].kind_anon')" 300
same "status of the command" "$(status_of stats -- sh -c 'exit 7')" 7
same "signal of the command" "$(status_of stats -- sh -c 'kill -9 $$')" 137
same "no such command" "$(status_of stats -- nonexistent)" 127
same "no session is left" "$(fltq info | field sessions)" 0

say "stats -p"
sleep 60 &
pid=$!
until_true grep -q nanosleep /proc/$pid/stack
# The row of a process that began under accounting is the kernel's count.
"$FLTCTL" stats --json -p $pid >"$tmp/json"
read -r minor major < <(sed 's/.*) //' /proc/$pid/stat | cut -d' ' -f8,10)
same "-p, minor" "$(row '.[-1].minor')" "$minor"
same "-p, major" "$(row '.[-1].major')" "$major"
"$FLTCTL" stats --json --threads -p $pid >"$tmp/json"
same "-p, the one thread" "$(row '.[0].tid')" $pid
same "-p, the one thread's minor" "$(row '.[0].minor')" "$minor"
(sleep 1; kill $pid) &
same "-p ends with the process" "$(status_of stats -p $pid 200ms)" 0
wait $pid || true
same "-p of nobody" "$(status_of stats -p 4194303)" 1

say "stats of the machine"
"$FLTCTL" stats -a --json 300ms 3 >"$tmp/json"
same "-a, reports and total" "$(row 'map(.record) | join(" ")')" '"machine machine machine total"'
same "-a, reports add up" "$(row '.[0:3] | map(.minor) | add')" "$(row '.[-1].minor')"
"$FLTCTL" stats --json 300ms 3 >"$tmp/json"
at_least "by process, rows" "$(row 'map(select(.record == "process")) | length')" 3
"$FLTCTL" stats --by=kind --json >"$tmp/json"
at_least "by kind, anon" "$(row 'map(select(.kind == "anon"))[0].faults')" 300
rm "$tmp/out"
"$FLTCTL" stats 100ms >"$tmp/out" &
pid=$!
until_true grep -q fltctl "$tmp/out"
kill -INT $pid
status=0
wait $pid || status=$?
same "Ctrl-C, status" $status 0
same "Ctrl-C, last line" "$(tail -1 "$tmp/out")" "lost   nothing"

say "permission"
same "nobody, stats" "$(setpriv --reuid=65534 --clear-groups "$FLTCTL" stats --source=module -a \
	2>"$tmp/err" >"$tmp/out" || echo $?)" 4
same "nobody, why" "$(grep -c CAP_PERFMON "$tmp/err")" 1
same "nobody, check" "$(setpriv --reuid=65534 --clear-groups "$FLTCTL" check >"$tmp/out" \
	2>&1 || echo $?)" 4
same "another network namespace" "$(unshare -n "$FLTCTL" stats --source=module -a \
	2>"$tmp/err" >"$tmp/out" || echo $?)" 5

say "probes switched off"
echo 0 >/sys/kernel/debug/kprobes/enabled
same "kprobes off, status" "$(status_of check)" 1
same "kprobes off, named with a fix" \
	"$(grep -A1 '^no    kprobes' "$tmp/out" | grep -c 'fix: echo 1 >')" 1
echo 1 >/sys/kernel/debug/kprobes/enabled
same "kprobes on again" "$(status_of check)" 0
unload

say "loss"
load maxactive=16
mkfifo "$tmp/fifo"
(exec 8<"$tmp/fifo"; exec asleep hold 100 <&8 >"$tmp/asleep") &
exec 7>"$tmp/fifo"
until_true grep -q asleep "$tmp/asleep" || bad "the threads are not asleep"
same "16 instances, status" "$(status_of stats -- kinds anon 100)" 3
same "16 instances, last line" "$(tail -1 "$tmp/out" | grep -c incomplete)" 1
"$FLTCTL" stats --json -- kinds anon 100 >"$tmp/stdout" 2>&1 || true
grep '^{' "$tmp/stdout" >"$tmp/json"
same "16 instances, minor all the same" "$(row '.[-1].minor')" "$(row '.[-1].wait4_minor')"
at_least "16 instances, missed" "$(row '.[-1].missed')" 100
same "16 instances, machine" "$(status_of stats -a)" 3
for command in trace "trace -F maj" map; do
	# shellcheck disable=SC2086
	same "16 instances, $command" "$(status_of $command -- kinds anon 100)" 3
	same "16 instances, $command says so" "$(grep -c 'incomplete: probe missed' "$tmp/err" || true)" 1
done
exec 7>&-
wait
unload

say "accounting off until it is wanted"
load accounting=0
same "check with accounting off" "$(status_of check)" 0
same "one report with accounting off" "$(status_of stats -a)" 5
same "an interval with accounting off" "$(status_of stats -a 100ms 2)" 0
counted "accounting off, a command" kinds anon 300
same "accounting is off again" "$(fltq info | field accounting)" 0
unload
same "check without the module" "$(status_of check)" 5
finish
