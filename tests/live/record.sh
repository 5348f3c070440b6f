#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=300 turns=6.1,6.12,7.3 debug=0
# shellcheck disable=SC2016,SC2119
# Promise: a recording made with the module has every fault of the command, with its process,
# kind and stack, or reports how many faults were lost.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

status=0
record() {
	status=0
	"$FLTCTL" record -q -o "$tmp/t.flt" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ $status = 0 ] || sed "s/^/exit $status: /" "$tmp/err"
}

check() { # WHAT FILE [WANT]
	checks=$((checks + 1))
	"$FLTCTL" script --json "$tmp/t.flt" >"$tmp/script"
	python3 tests/live/faults.py "$tmp/script" "$@" || bad "$*: $(cat "$tmp/err")"
}

# Print the value of KEY in the output of fltctl script --check.
check_value() { # KEY
	"$FLTCTL" script --check "$tmp/t.flt" | awk -v k="$1" 'index($0, k) == 1 { print $NF }'
}

say "without the module: recording by perf, or an error"
record -- true
same "engine" "$(check_value engine)" perf
record --engine=module -- true
same "--engine=module without the module: exit status" $status 5
load

say "every fault of a process tree"
record -- faultrun -o "$tmp/run" -- sh -c '"$@"; sh -c "true; ls / >/dev/null"' sh "${forking[@]}"
same "exit status" $status 0
same "engine" "$(check_value engine)" module
same "finished" "$(check_value finished)" yes
same "damaged places" "$(check_value "damaged places")" 0
same "records without sense" "$(check_value "records without sense")" 0
check judged "$tmp/run"
"$FLTCTL" report "$tmp/t.flt" >"$tmp/report"
at_least "lines of the report" "$(wc -l <"$tmp/report")" 10
"$FLTCTL" map --json "$tmp/t.flt" >"$tmp/map"
at_least "heaps in the map" "$(grep -c '"of":"heap".*"area":"\[heap\]"' "$tmp/map" || true)" 1
# Faults of the child of fltctl before its exec are not recorded.
same "faults of fltctl" "$("$FLTCTL" script --json "$tmp/t.flt" | lines '"comm":"fltctl"' -)" 0

say "stacks"
record -- frames deep 60
check first "$tmp/out"
check deep "$tmp/out" 127
record --unwind dwarf -- frames deep 60
check first "$tmp/out"
check deep "$tmp/out" 127
record --max-stack 3 -- frames deep 10
check deep "$tmp/out" 4
record --no-stack -- frames deep 10
same "--no-stack: stack nodes" "$(check_value "stack nodes")" 0
record --unwind dwarf -- true
check named true
record -- true
check named true

say "a running process, and all processes"
asleep >/dev/null 2>&1 & idle=$!
python3 -c '
import mmap, time
while True:
    m = mmap.mmap(-1, 1 << 20)
    for i in range(0, 1 << 20, 4096): m[i] = 1
    m.close(); time.sleep(0.05)' & busy=$!
until_true sleeps_in $busy nanosleep || bad "the process does not reach its loop"
"$FLTCTL" record -q -o "$tmp/t.flt" -p $busy 2>"$tmp/err" & recorder=$!
until_true observes $recorder || bad "-p: the recorder does not start"
has_faulted() { [ "$(faults_of $busy)" -ge "$1" ]; }
until_true has_faulted $(($(faults_of $busy) + 4096)) || bad "the process does not fault"
kill -INT $recorder
status=0
wait $recorder || status=$?
same "-p: exit status" $status 0
check pid $busy python3
"$FLTCTL" record -q -o "$tmp/t.flt" -a 2>"$tmp/err" & recorder=$!
until_true observes $recorder || bad "-a: the recorder does not start"
tree fork 3 1 >/dev/null
kill -INT $recorder
status=0
wait $recorder || status=$?
same "-a: exit status" $status 0
at_least "recorded processes" \
	"$("$FLTCTL" script --json "$tmp/t.flt" | jq .pid | sort -u | wc -l)" 4
kill $busy $idle 2>/dev/null || true

say "buffers overflow: faults + lost = produced"
record -b 4KiB -B 2 -- sh -c 'kill -STOP $PPID; frames flood 3000 >/dev/null; kill -CONT $PPID'
same "exit status" $status 3
at_least "lost" "$(check_value "lost: buffer")" 1
at_least "faults" "$(check_value faults)" 10
at_least "faults + lost" $(($(check_value faults) + $(check_value "lost: buffer"))) 3000

say "exit status"
record -- sh -c 'exit 7'
same "command with status 7: exit status" $status 7
record -- /nonexistent
same "missing command: exit status" $status 127
record -o /dev/full -- true
same "-o with a device file: exit status" $status 1
record -p 1 -- true
same "-p and a command: exit status" $status 2
finish
